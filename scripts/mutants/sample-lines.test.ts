import { expect, test } from "vitest";
import { sampleLines } from "./sample-lines.ts";

const LINES = Array.from({ length: 2_000 }, (_, index) => `const value${index} = ${index};`);

test("samples about the wanted share of the lines", () => {
  expect(sampleLines("a.ts", LINES.join("\n"), 10).length).toBeGreaterThan(140);
  expect(sampleLines("a.ts", LINES.join("\n"), 10).length).toBeLessThan(260);
  expect(sampleLines("a.ts", LINES.join("\n"), 100)).toHaveLength(2_000);
  expect(sampleLines("a.ts", LINES.join("\n"), 0)).toEqual([]);
});

test("keeps its sample when lines are added above, and samples per file", () => {
  const before = sampleLines("a.ts", LINES.join("\n"), 10);
  expect(sampleLines("a.ts", ["let added = true;", ...LINES].join("\n"), 10).filter((line) => line > 1)).toEqual(
    before.map((line) => line + 1),
  );
  expect(sampleLines("b.ts", LINES.join("\n"), 10)).not.toEqual(before);
});

test("leaves out comments and blank lines", () => {
  expect(sampleLines("a.ts", ["", "// one", "/** two", " * three", " */", "  go();"].join("\n"), 100)).toEqual([6]);
});
