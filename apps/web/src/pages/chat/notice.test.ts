import type { NoticeBlock } from "@factotum/protocol";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Notice } from "./notice.tsx";

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
