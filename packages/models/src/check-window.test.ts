import { expect, test } from "vitest";
import { checkWindow } from "./check-window.ts";

const model = (contextWindow: number, known = true): Parameters<typeof checkWindow>[0] => ({
  provider: "house",
  id: "m",
  contextWindow,
  known,
});

test.each([
  [8_192, "too-small"],
  [15_999, "too-small"],
  [16_000, "small"],
  [31_999, "small"],
  [32_000, "enough"],
] as const)("a window of %i tokens is %s", (contextWindow, type) => {
  expect(checkWindow(model(contextWindow)).type).toBe(type);
});

test("the message names model, size and setting, and says when the size is a guess", () => {
  const verdict = checkWindow(model(8_192, false));
  expect(verdict).toMatchObject({ message: expect.stringContaining("house/m is 8192 tokens (a guess") as string });
  expect(verdict).toMatchObject({ message: expect.stringContaining("models.providers.house.models") as string });
});
