import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./diff-lines.ts";

test("equal texts have no differences", () => {
  expect(diffLines("one\ntwo\n", "one\ntwo\n")).toEqual([]);
});

test("a changed line is removed and added, between the lines around it", () => {
  expect(diffLines("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9")).toEqual([
    {
      startLine: 2,
      lines: [
        { change: "same", text: "2" },
        { change: "same", text: "3" },
        { change: "same", text: "4" },
        { change: "removed", text: "5" },
        { change: "added", text: "five" },
        { change: "same", text: "6" },
        { change: "same", text: "7" },
        { change: "same", text: "8" },
      ],
    },
  ]);
});

test("a missing end of the last line is no line", () => {
  const lines = diffLines("one", "one\ntwo\n")?.flatMap((hunk) => hunk.lines);
  expect(lines?.map(({ change, text }) => `${change} ${text}`)).toEqual(["removed one", "added one", "added two"]);
});

const texts = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.map((line) => `${line}\n`).join(""));

test("the lines that stayed and the added ones are those of the text after the change", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const lines = after.split("\n");
      for (const hunk of diffLines(before, after) ?? []) {
        const shown = hunk.lines.filter(({ change }) => change !== "removed").map(({ text }) => text);
        const from = Math.max(0, hunk.startLine - 1);
        expect(lines.slice(from, from + shown.length)).toEqual(shown);
      }
    }),
  );
});
