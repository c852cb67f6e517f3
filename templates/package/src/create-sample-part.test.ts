import { expect, test } from "vitest";
import { createSamplePart } from "./index.ts";

test("a part ages with the clock", () => {
  let nowMs = 5;
  const part = createSamplePart({ clock: { monotonic: () => nowMs } });
  nowMs = 12;
  expect(part.ageMs()).toBe(7);
});
