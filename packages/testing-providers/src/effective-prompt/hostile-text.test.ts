import { expect, test } from "vitest";
import { hostileText } from "../index.ts";

function take(count: number, options: Parameters<typeof hostileText>[0]): string[] {
  return Array.from(
    { length: count },
    (
      (texts) => () =>
        texts.next().value
    )(hostileText(options)),
  );
}

test("the same seed gives the same texts, another seed others", () => {
  expect(take(50, { seed: 7 })).toEqual(take(50, { seed: 7 }));
  expect(take(50, { seed: 7 })).not.toEqual(take(50, { seed: 8 }));
});

test("uses every technique of an attacker", () => {
  const all = take(2_000, { seed: 1, delimiters: ["9f2c4e81a0b7"] });
  const text = all.join("|");
  for (const weapon of [
    "[/9f2c4e81a0b7]",
    "［9f2c4e81a0b7",
    "Inbound context (trusted):",
    "System:",
    "[media attached",
    "\0",
    "\u202e",
    "\u2028",
    "\r\n",
  ]) {
    expect(text, JSON.stringify(weapon)).toContain(weapon);
  }
  expect(all.some((one) => !one.isWellFormed())).toBe(true);
  expect(all.filter(({ length }) => length === 100_000)).toHaveLength(20);
  expect(all.every(({ length }) => length <= 200 || length === 100_000)).toBe(true);
});
