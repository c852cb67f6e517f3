import type { NoticeBlock } from "@factotum/protocol";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test } from "vitest";
import { setGatewayTexts } from "../../i18n/gateway-text.ts";
import { loadCatalogue } from "../../i18n/load-catalogue.ts";
import { Notice } from "./notice.tsx";

afterEach(() => setGatewayTexts((text) => text));

const html = (text: string, blocks?: readonly NoticeBlock[]): string =>
  renderToStaticMarkup(
    createElement(Notice, {
      item: { type: "notice", id: "1", timestampMs: 0, level: "info", text, ...(blocks === undefined ? {} : { blocks }) },
    }),
  );

test("lays out rows, lists and lines of a command's answer, and treats nothing in them as markup", () => {
  const shown = html("plain", [
    { type: "rows", rows: [{ name: "/help", text: "show *this* <list>" }] },
    { type: "text", text: "Today:" },
    { type: "list", items: ["one", "two"] },
  ]);
  expect(shown).toContain('<dt>/help</dt><dd dir="auto">show *this* &lt;list&gt;</dd>');
  expect(shown).toContain('<p dir="auto">Today:</p>');
  expect(shown.match(/<li/g)).toHaveLength(2);
});

test("shows a notice without structure unchanged", () => {
  expect(html("Sent **it**.\nTwice.")).toContain("<strong>it</strong>.\nTwice.");
});

test("what a model said in a notice is Markdown in its own words, in every language", async () => {
  setGatewayTexts((await loadCatalogue("zh-CN")).translate);
  const shown = html('The scheduled job "早报" sent this here: "There are **6** entries:"', [
    { type: "text", text: 'The scheduled job "早报" sent this here:' },
    { type: "quote", text: "There are **6** entries:" },
  ]);
  expect(shown).toContain("定时任务“早报”发送到这里的内容：");
  expect(shown).toContain("There are <strong>6</strong> entries:");
});
