import { expect, test } from "vitest";
import { renderTable } from "./render-table.ts";

test("columns are as wide as a terminal shows their values", () => {
  const rows = [
    ["写手", "x"],
    ["coder", "y"],
    ["👍", "z"],
  ];
  expect(renderTable(["NAME", "MODEL"], rows)).toBe("NAME   MODEL\n写手   x\ncoder  y\n👍     z\n");
});
