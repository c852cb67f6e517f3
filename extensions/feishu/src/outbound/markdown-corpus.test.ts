import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { FEISHU_CARD, FEISHU_MESSAGE, markdownFaults, visibleText, type VisibleMarks } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderCard } from "./render-card.ts";
import { renderText } from "./render-text.ts";

// A table inside of another block stays one.
const marks: VisibleMarks = { tableLines: true };
const parsed = (text: string): string => visibleText(flattenMarkdown(text, { tables: "native" }), marks);
const check: Pick<Parameters<typeof markdownFaults>[0], "pieces" | "chunk" | "marks" | "limits"> = {
  pieces: (source) => flattenMarkdown(source, { tables: "code" }),
  chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
  marks,
  limits: [],
};

test("every text of the corpus is accepted as a message, and shows what was written", () => {
  const render = (source: string): readonly string[] => {
    if (source.trim() === "") return [];
    return [JSON.stringify(renderText(source))];
  };
  const shown = (message: string): string => parsed(FEISHU_MESSAGE.shown(message));
  expect(markdownFaults({ ...check, rules: FEISHU_MESSAGE, render, shown })).toEqual([]);
});

test("every text of the corpus is accepted as the body of a card, and shows what was written", () => {
  const render = (source: string): readonly string[] =>
    source.trim() === "" ? [] : [JSON.stringify(renderCard({ body: source }, { kind: "direct", id: "oc_1" }))];
  const shown = (message: string): string => parsed(FEISHU_CARD.shown(message));
  expect(markdownFaults({ ...check, rules: FEISHU_CARD, render, shown })).toEqual([]);
});
