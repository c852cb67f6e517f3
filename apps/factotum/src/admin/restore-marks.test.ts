import { expect, test } from "vitest";
import { restoreMarks } from "./restore-marks.ts";

const NOTE = { text: "# Keys\nA: one\nB: two\nend", shown: "# Keys\nA: ***\nB: ***\nend", mark: "***" };
const ALIKE = { text: "key one\nkey two", shown: "key ***\nkey ***", mark: "***" };

test.each([
  ["nothing changed", NOTE.shown, NOTE, NOTE.text],
  ["another line changed", "# All keys\nA: ***\nB: ***\nend", NOTE, "# All keys\nA: one\nB: two\nend"],
  ["lines moved and were removed", "B: ***\n# Keys", NOTE, "B: two\n# Keys"],
  ["a line is repeated", "A: ***\nA: ***", NOTE, "A: one\nA: one"],
  ["lines that were shown alike keep their order", "first\nkey ***\nkey ***", ALIKE, "first\nkey one\nkey two"],
])("secrets come back where %s", (_what, edited, shown, text) => {
  expect(restoreMarks(edited, shown)).toEqual({ type: "text", text });
});

test.each([
  ["a line with a mark changed", "# Keys\nA is ***", NOTE, 2],
  ["a mark was typed", "# Keys ***", NOTE, 1],
  ["of lines that were shown alike one is gone", "x\nkey ***", ALIKE, 2],
  ["a secret has several lines", "key ***, end", { text: "key one\ntwo", shown: "key ***", mark: "***" }, 1],
])("a mark is refused where %s", (_what, edited, shown, line) => {
  expect(restoreMarks(edited, shown)).toEqual({ type: "mark", line });
});
