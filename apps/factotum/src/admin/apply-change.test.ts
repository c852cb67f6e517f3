import { expect, test } from "vitest";
import { applyChange } from "./apply-change.ts";

const result = { path: "", runningHash: "", changed: [], needsRestart: [], inactive: [], commandPolicy: [] };

test.each([
  ["applied", ["new"]],
  ["kept", ["old", "new"]],
] as const)("of a configuration that was %s, the problems are %j", async (type, expected) => {
  const forced: unknown[] = [];
  const control = {
    report: () => ({ ...result, problems: ["old"] }),
    reload: async (options?: object) => (forced.push(options), { ...result, type, problems: ["old", "new"] }),
  };
  expect(await applyChange(control, { force: true })).toEqual(expected);
  expect(forced).toEqual([{ force: true }]);
});
