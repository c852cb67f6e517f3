import fc from "fast-check";
import { expect, test } from "vitest";
import { createTextPattern, TextFinder } from "./text-patterns.ts";

const finder = (...texts: readonly string[]): TextFinder =>
  new TextFinder(
    texts.map((text) => createTextPattern(text, "salt")),
    "salt",
  );

test("finds what a search for the text itself finds", () => {
  const some = (minLength: number, maxLength: number) => fc.string({ unit: fc.constantFrom("a", "b", "ü", "A"), minLength, maxLength });
  fc.assert(
    fc.property(some(1, 40), some(0, 40), some(0, 40), fc.nat(40), (searched, before, after, cut) => {
      const text = before + searched.slice(0, cut) + after;
      expect(finder(searched, "another").has(text)).toBe(text.toLowerCase().includes(searched.toLowerCase()));
    }),
  );
});

test("replaces whole texts, overlapping ones once", () => {
  expect(finder("the boiler", "boiler is old", "x").replace("Says: The Boiler is old. Xylophone", "[forgotten]")).toBe(
    "Says: [forgotten]. [forgotten]ylophone",
  );
  expect(finder("乌龙茶").replace("我喝乌龙茶", "-")).toBe("我喝-");
  expect(finder("nothing").replace("İs here", "-")).toBe("İs here");
});
