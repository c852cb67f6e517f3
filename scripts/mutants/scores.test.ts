import { expect, test } from "vitest";
import { scoreOf } from "./scores.ts";

const mutant = (status: string) => ({
  fileName: "/repo/packages/store/src/a.ts",
  mutatorName: "ConditionalExpression",
  replacement: "if (\n  true)",
  location: { start: { line: 7 } },
  status,
});

test("counts killed and timed out mutants as killed, survivors and uncovered ones as alive, and ignores others", () => {
  const all = ["Killed", "Timeout", "Survived", "NoCoverage", "CompileError", "Ignored"].map(mutant);
  expect(scoreOf(all, "/repo")).toEqual({
    killed: 2,
    total: 4,
    score: 50,
    survivors: [
      "packages/store/src/a.ts:7 ConditionalExpression (reached by no test): if ( true)",
      "packages/store/src/a.ts:7 ConditionalExpression: if ( true)",
    ],
  });
});

test("rounds down, and scores nothing as 0", () => {
  expect(scoreOf([mutant("Killed"), mutant("Killed"), mutant("Survived")], "/repo").score).toBe(66);
  expect(scoreOf([], "/repo").score).toBe(0);
});
