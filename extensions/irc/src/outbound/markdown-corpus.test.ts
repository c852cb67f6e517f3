import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { IRC_TEXT, markdownFaults } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderLines } from "./render-lines.ts";

test("every text of the corpus is accepted line by line, and shows what was written", () => {
  const faults = markdownFaults({
    rules: IRC_TEXT,
    render: (source, maxBytes = 400) => renderLines(source, { maxBytes }),
    pieces: (source) => flattenMarkdown(source, { tables: "code" }),
    chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
    marks: { bullet: "-", numbers: true, boxes: true, rule: "----------", addresses: true, quotes: true },
  });
  expect(faults).toEqual([]);
});
