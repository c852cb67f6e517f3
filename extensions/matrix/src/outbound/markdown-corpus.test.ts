import { chunkMarkdown, flattenMarkdown } from "@factotum/channel-kit";
import { MAIL_HTML, markdownFaults } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { renderText } from "./render-text.ts";

// The platform allows the elements of a mail's HTML, and no alignment of cells.
const RULES = {
  ...MAIL_HTML,
  name: "Matrix HTML",
  check(message: string): void {
    MAIL_HTML.check(message);
    if (/<t[dh] align=/.test(message)) throw new Error("the attribute align");
  },
};

test("every text of the corpus is accepted, and shows what was written", () => {
  const faults = markdownFaults({
    rules: RULES,
    render: (source, maxLength) =>
      renderText(source, maxLength === undefined ? {} : { maxLength }).map(({ html, body }) => html ?? escaped(body)),
    pieces: (source) => flattenMarkdown(source, { tables: "native" }),
    chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
    marks: { boxes: true },
    limits: [300],
  });
  expect(faults).toEqual([]);
});

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
