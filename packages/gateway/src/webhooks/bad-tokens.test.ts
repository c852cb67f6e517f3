import { expect, test } from "vitest";
import { BadTokens } from "./bad-tokens.ts";

test("the twentieth wrong token within a minute closes an address until the first of them is a minute old, and no other address", () => {
  let nowMs = 0;
  const bad = new BadTokens({ monotonic: () => nowMs });
  const [one, other] = [{ address: "192.0.2.1" }, { address: "192.0.2.2" }];
  for (let count = 0; count < 19; count += 1) {
    bad.record(one);
    nowMs += 1000;
  }
  expect(bad.delayMs(one)).toBe(0);
  bad.record(one);
  expect([bad.delayMs(one), bad.delayMs(other)]).toEqual([41_000, 0]);
  nowMs += 41_000;
  expect(bad.delayMs(one)).toBe(0);
  bad.record(one);
  expect(bad.delayMs(one)).toBe(1000);
});
