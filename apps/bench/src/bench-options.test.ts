import { expect, test } from "vitest";
import { parseBenchOptions } from "./bench-options.ts";

test("without options everything is measured and nothing recorded", () => {
  expect(parseBenchOptions([])).toEqual({ form: "full", record: false, peer: false, profile: false });
});

test.each([
  [["--quick", "--record"], { form: "quick", record: true }],
  [["--check"], { form: "check" }],
  [["--sizes"], { form: "sizes" }],
  [["--web"], { form: "web", record: false }],
  [["--web", "--record"], { form: "web", record: true }],
  [["--entry", "dist/factotum.mjs"], { form: "full", entry: "dist/factotum.mjs" }],
  [["--quick", "--against", "before/factotum.mjs"], { form: "quick", against: "before/factotum.mjs" }],
])("%j is read", (args, expected) => {
  expect(parseBenchOptions(args)).toMatchObject(expected);
});

test.each([
  [["--check", "--record"]],
  [["--sizes", "--check"]],
  [["--sizes", "--quick"]],
  [["--web", "--sizes"]],
  [["--web", "--quick"]],
  [["--subagents", "--record"]],
  [["--profile", "--peer"]],
  [["--against", "before/factotum.mjs", "--check"]],
  [["--against", "before/factotum.mjs", "--record"]],
  [["--fast"]],
  [["now"]],
])("%j is refused", (args) => {
  expect(() => parseBenchOptions(args)).toThrow();
});
