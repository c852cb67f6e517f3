import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { markdownFaults, SLACK_BODY, SLACK_MRKDWN } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderCard } from "./render-card.ts";
import { renderMrkdwn, renderText } from "./render-text.ts";

const CHECK: Pick<Parameters<typeof markdownFaults>[0], "pieces" | "chunk" | "marks" | "limits"> = {
  pieces: (source) => flattenMarkdown(source, { tables: "code" }),
  chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
  marks: { bullet: "•", numbers: true, boxes: true, rule: "———", quotes: true },
  // Where the markup of a link is longer than half a message, its address is shown.
  limits: [200, 1_000],
};

test("every text of the corpus is accepted as markup, and shows what was written", () => {
  const render = (source: string, maxLength?: number): readonly string[] =>
    renderMrkdwn(source, maxLength === undefined ? {} : { maxLength });
  expect(markdownFaults({ ...CHECK, rules: SLACK_MRKDWN, render })).toEqual([]);
});

test("every text of the corpus is accepted as a message, and shows what was written", () => {
  const render = (source: string): readonly string[] => {
    const body = renderText(source);
    return body === undefined ? [] : [JSON.stringify(body)];
  };
  expect(markdownFaults({ ...CHECK, rules: SLACK_BODY, render, limits: [] })).toEqual([]);
});

test("every text of the corpus is accepted as the body of a card, and shows what was written", () => {
  const render = (source: string): readonly string[] => {
    const card = renderCard({ body: source });
    return card.type === "body" ? [JSON.stringify(card.body)] : [];
  };
  expect(markdownFaults({ ...CHECK, rules: SLACK_BODY, render, limits: [] })).toEqual([]);
});
