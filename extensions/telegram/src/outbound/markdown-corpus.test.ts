import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { markdownFaults, TELEGRAM_HTML } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderHtml } from "./render-text.ts";

test("every text of the corpus is accepted, and shows what was written", () => {
  const faults = markdownFaults({
    rules: TELEGRAM_HTML,
    render: (source, maxLength) => renderHtml(source, maxLength === undefined ? {} : { maxLength }),
    pieces: (source) => flattenMarkdown(source, { tables: "code" }),
    chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
    marks: { bullet: "•", numbers: true, boxes: true, rule: "———" },
  });
  expect(faults).toEqual([]);
});
