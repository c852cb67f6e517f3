import { MAIL_HTML, MARKDOWN_CORPUS, markdownFaults, PLAIN_TEXT, visibleText } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { chunkMarkdown, flattenMarkdown, htmlDocument, plainText, renderMarkdown } from "../index.ts";
import type { Dialect } from "../index.ts";

const checkOf = (dialect: Dialect): Pick<Parameters<typeof markdownFaults>[0], "render" | "pieces" | "chunk"> => ({
  render: (source, maxLength) => renderMarkdown(source, { dialect, ...(maxLength !== undefined && { maxLength }) }),
  pieces: (source) => flattenMarkdown(source, dialect),
  chunk: (source) => chunkMarkdown(source, { maxLength: 80 }).map(({ text }) => text),
});

test("every text of the corpus is accepted as the HTML of a mail, and shows what was written", () => {
  expect(markdownFaults({ ...checkOf(htmlDocument()), rules: MAIL_HTML, marks: { boxes: true }, limits: [300] })).toEqual([]);
});

test("every text of the corpus is accepted as plain text, and shows what was written", () => {
  const marks = { bullet: "-", numbers: true, boxes: true, rule: "----------", addresses: true, quotes: true };
  expect(markdownFaults({ ...checkOf(plainText()), rules: PLAIN_TEXT, marks })).toEqual([]);
});

const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };

/** The text of the specification's HTML without white space; `undefined` where messages differ on purpose: HTML, images, and links that are not made. */
function specified(html: string): string | undefined {
  const tags = html.replaceAll(/<\/?(?:(?:a|code|ol)(?: [^<>]*)?|p|em|strong|pre|h[1-6]|ul|li|blockquote|hr \/|br \/)>/g, "");
  if (/<|href="(?!https?:|mailto:)/.test(tags + html.replaceAll(/<(?!a )/g, ""))) return undefined;
  return tags.replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity).replaceAll(/\s/g, "");
}

test("the parser reads the specification's examples as it says", () => {
  const examples = MARKDOWN_CORPUS.flatMap(({ name, source, html = "<" }) => {
    const expected = specified(html);
    return expected === undefined ? [] : [{ name, source, expected, shown: visibleText(flattenMarkdown(source, { tables: "code" })) }];
  });
  expect(examples.length).toBeGreaterThan(350);
  expect(examples.filter(({ expected, shown }) => expected !== shown)).toEqual([]);
});
