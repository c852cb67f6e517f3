import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { DISCORD_MARKDOWN, markdownFaults, visibleText, type VisibleMarks } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderText } from "./render-text.ts";

const marks: VisibleMarks = { numbers: true, boxes: true, bullet: "-", rule: "***" };

test("every text of the corpus is accepted, and shows what was written", () => {
  const faults = markdownFaults({
    rules: DISCORD_MARKDOWN,
    render: (source) => renderText(source).messages,
    pieces: (source) => flattenMarkdown(source, { tables: "code" }),
    chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
    marks,
    // The platform makes no link of an address without its scheme.
    shown: (message) => visibleText(flattenMarkdown(message.replaceAll("www.", "www\u200b."), { tables: "native" }), marks),
    limits: [],
  });
  expect(faults).toEqual([]);
});
