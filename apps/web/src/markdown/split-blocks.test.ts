import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MarkdownBlock } from "./markdown.tsx";
import { splitBlocks } from "./split-blocks.ts";

function htmlOf(text: string): string {
  return renderToStaticMarkup(createElement(MarkdownBlock, { text }));
}

const line = fc.oneof(
  fc.constantFrom(
    "",
    "",
    "```",
    "```ts",
    "~~~~",
    "~~~",
    "   ```",
    "# Title",
    "- item",
    "1. one",
    "  more",
    "    code",
    "> quote",
    "| a | b |",
    "|---|---|",
    "---",
    "<div>",
    "</div>",
    "[x]: http://a",
    "see [x] there",
    "`` ` ``` ``",
    "***bold*** *it*",
    "* star",
  ),
  fc.string({ maxLength: 12 }),
);

test("the parts joined are the text, and drawn apart they look like the whole", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const text = lines.join("\n");
      const blocks = splitBlocks(text);
      expect(blocks.join("")).toBe(text);
      expect(blocks.map(htmlOf).join("")).toBe(htmlOf(text));
    }),
    { numRuns: 300 },
  );
});

test("paragraphs, headings and fences are parts of their own; a list is one", () => {
  const text = "One\n\n## Two\n\n```sh\na\n\nb\n```\n\n- x\n\n- y\n\n  z\n\nEnd";
  expect(splitBlocks(text)).toEqual(["One\n\n", "## Two\n\n", "```sh\na\n\nb\n```\n\n- x\n\n- y\n\n  z\n\n", "End"]);
});
