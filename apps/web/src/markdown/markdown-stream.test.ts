import fc from "fast-check";
import { createElement, Fragment } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { layoutMarkdown, type MarkdownLayout } from "./markdown-block.ts";
import { MarkdownBlocks } from "./markdown.tsx";
import { MarkdownStream } from "./markdown-stream.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { repairMarkdown } from "./repair-markdown.ts";

const htmlOf = (layout: MarkdownLayout): string =>
  renderToStaticMarkup(createElement(Fragment, {}, createElement(MarkdownBlocks, { layout })));
const whole = (text: string): string => htmlOf(layoutMarkdown(parseMarkdown(text)));

/** A stream that counts the characters it parses. */
function countingStream(): { readonly stream: MarkdownStream; readonly count: () => number } {
  let characters = 0;
  const parse = (text: string): ReturnType<typeof parseMarkdown> => {
    characters += text.length;
    return parseMarkdown(text);
  };
  return { stream: new MarkdownStream({ parse }), count: () => characters };
}

/** Lays out a text that grows by `step` characters at a time. */
function grow(stream: MarkdownStream, text: string, step: number, repair?: (text: string) => string): MarkdownLayout {
  let layout = stream.update("", repair);
  for (let end = step; end < text.length + step; end += step) layout = stream.update(text.slice(0, end), repair);
  return layout;
}

const LINES = [
  "",
  "",
  "```",
  "```ts",
  "~~~~",
  "~~~",
  "   ```",
  "  ```js",
  "# Title",
  "#",
  "- item",
  "-",
  "- ```",
  "1. one",
  "  more",
  "    code",
  "> quote",
  "> ```",
  "| a | b |",
  "|---|---|",
  "---",
  "===",
  "<div>",
  "</div>",
  "<b>",
  "<!-- open",
  "-->",
  "<script>",
  "</script>",
  "[x]: http://a",
  "[x]:",
  '"title',
  'end"',
  "see [x] there",
  "[^1]: a note",
  "as said[^1]",
  "  [key: string]: unknown;",
  "`` ` ``` ``",
  "***bold*** *it*",
  "* star",
  "**Bold** begins",
  "\\[",
  "\\]",
  "$$",
  "\\(a\\) and $$b$$",
];

const line = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...LINES) }, { weight: 1, arbitrary: fc.string({ maxLength: 12 }) });

/**
 * Where the parser goes by the text before: whether it sees an empty list item after indented code, and whether lines of indented code are one block where a
 * quote has ended without an empty line. No real text has these.
 */
const isQuirk = (text: string): boolean => /^ {4}code\n+-$|^>.*(?:\n.+)*\n {4}/m.test(text);

test("the layout does not depend on the chunks in which a text arrives", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), fc.integer({ min: 1, max: 30 }), (lines, step) => {
      const text = `${lines.join("\n")}\n`;
      fc.pre(!isQuirk(text));
      expect(htmlOf(grow(countingStream().stream, text, step))).toBe(whole(text));
    }),
    { numRuns: 150 },
  );
});

test("a finished text has the layout of the whole text, without delimiters that were added while it streamed", () => {
  const lastLine = fc.constantFrom("", "[x]: http://a", "[^1]: a note", "```", "``", "**bo");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), lastLine, fc.integer({ min: 1, max: 30 }), (lines, last, step) => {
      const text = [...lines, last].join("\n");
      fc.pre(!isQuirk(text));
      const { stream } = countingStream();
      grow(stream, text, step, repairMarkdown);
      expect(htmlOf(stream.finish(text))).toBe(whole(text));
      // Finishing it again gives the same layout, also without the surrounding white space.
      expect(htmlOf(stream.finish(text.trim()))).toBe(whole(text.trim()));
    }),
    { numRuns: 150 },
  );
});

test.each([
  "See [x].\n\nWords.\n\n[x]: http://a.example",
  "As said[^1].\n\nWords.\n\n[^1]: Somewhere.",
  // The parser has the definition in the heading.
  "[x]: http://a.example\nAs said[^1]\n===\n\nWords.\n\n[^1]: Somewhere.",
])("a definition in the last line of a finished text counts for what stands before: %j", (text) => {
  const { stream } = countingStream();
  grow(stream, text, 5, repairMarkdown);
  expect(htmlOf(stream.finish(text))).toBe(whole(text));
});

test("finishing a text keeps the blocks that were drawn while it streamed, and parses almost nothing", () => {
  const code = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join("");
  const text = `# Title\n\nText.\n\n\`\`\`\n${code}\`\`\`\n\n${"Words. ".repeat(20)}`;
  const { stream, count } = countingStream();
  const before = grow(stream, `\n\n${text}\n`, 100, repairMarkdown).blocks;
  const parsed = count();
  const after = stream.finish(text.trim()).blocks;
  expect(after.map((block, index) => block === before[index])).toEqual([true, true, true, false]);
  expect(count() - parsed).toBeLessThan(500);
});

test("a text that does not continue the previous one is laid out again", () => {
  const { stream } = countingStream();
  stream.update("One\n\nTwo [x]\n\n[x]: http://a\n");
  expect(htmlOf(stream.update("Three\n\n[x]\n"))).toBe(whole("Three\n\n[x]\n"));
});

describe("the cost of parsing a growing text", () => {
  const paragraphs = Array.from(
    { length: 120 },
    (_, index) => `Paragraph ${index} says **one** thing, and \`another\`, at some length.\n\n`,
  );
  const STEP = 20;

  /** Characters parsed per character of the text. */
  function costOf(text: string): number {
    const { stream, count } = countingStream();
    grow(stream, text, STEP, repairMarkdown);
    return count() / text.length;
  }
  const plain = costOf(paragraphs.join(""));

  test("is zero for a long block of code", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `const value${index} = compute(${index});\n`).join("");
    expect(costOf(`\`\`\`ts\n${lines}\`\`\`\n`)).toBeLessThan(0.1);
    expect(costOf(`[x]: http://a.example\n\n\`\`\`ts\n${lines}\`\`\`\n`)).toBeLessThan(0.1);
    const { stream } = countingStream();
    const layout = grow(stream, `\`\`\`ts\n${lines}\`\`\`\n`, 1000);
    expect(layout.blocks).toMatchObject([{ type: "code", language: "ts", complete: true }]);
  });

  test("per paragraph is the same in a long text as in a short one", () => {
    expect(plain).toBeLessThan(1.5 * costOf(paragraphs.slice(0, 8).join("")));
  });

  test.each([
    ["an index signature", "```ts\ninterface A {\n  [key: string]: unknown;\n}\n```\n\n"],
    ["a fence in a list", "1. Do this:\n\n   ```bash\n   ls\n   ```\n\n2. And that.\n\n"],
    ["a line of HTML", "<details>\n\n"],
    ["a definition", "[x]: http://a.example\n\n"],
  ])("is not changed by %s at the beginning", (_name, beginning) => {
    expect(costOf(beginning + paragraphs.join(""))).toBeLessThan(plain * 1.1);
  });

  test("of a footnote at the end is one more parse of the paragraphs that refer to it", () => {
    const text = `As said[^1].\n\n${paragraphs.join("")}`;
    const { stream, count } = countingStream();
    const before = stream.update(text).blocks;
    const parsed = count();
    const after = stream.update(`${text}[^1]: Somewhere.\n`);
    expect(htmlOf(after)).toBe(whole(`${text}[^1]: Somewhere.\n`));
    expect(count() - parsed).toBeLessThan(400);
    // All other blocks are the same objects, so they are not rendered again.
    expect(after.blocks.slice(1, -2)).toEqual(before.slice(1, -1));
    expect(after.blocks.slice(1, -2).every((block, index) => block === before[index + 1])).toBe(true);
  });
});

test("settled blocks stay the same objects while the text grows, and code grows in its last chunk", () => {
  const { stream } = countingStream();
  const code = Array.from({ length: 120 }, (_, index) => `line ${index}\n`).join("");
  const before = stream.update(`# Title\n\nText.\n\n\`\`\`\n${code}`).blocks;
  const after = stream.update(`# Title\n\nText.\n\n\`\`\`\n${code}more`).blocks;
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  const chunksOf = (block: unknown): readonly string[] => (block as { readonly chunks: readonly string[] }).chunks;
  expect(chunksOf(before[2]).slice(0, 2)).toEqual(chunksOf(after[2]).slice(0, 2));
  expect(chunksOf(after[2]).at(-1)).toMatch(/line 119\nmore$/);
});

test("the closing line of a fence is not shown while it arrives", () => {
  const { stream } = countingStream();
  for (const text of ["```\na\n`", "```\na\n``", "```\na\n```"]) {
    expect(stream.update(text).blocks).toEqual([{ type: "code", language: undefined, chunks: ["a"], complete: false }]);
  }
  expect(stream.update("```\na\n```\n").blocks).toEqual([{ type: "code", language: undefined, chunks: ["a"], complete: true }]);
});

test.each([
  ["**bo", "**bo**"],
  ["a *b", "a *b*"],
  ["`co", "`co`"],
  ["see [the docs](https://a.exa", "see the docs"],
  ["\\(a^2", "\\(a^2\\)"],
  ["\\(a\\) and (b", "\\(a\\) and (b"],
  ["`\\(`", "`\\(`"],
  ["a < b and 5 * 3", "a < b and 5 * 3"],
  ["20~25", "20~25"],
])("%j is rendered as %j while it is written", (text, expected) => {
  expect(repairMarkdown(text)).toBe(expected);
});
