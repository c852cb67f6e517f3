import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measure, renderBlocks } from "../index.ts";
import type { StyledBlock } from "../index.ts";

const one = (source: string): readonly StyledBlock[] => renderBlocks(source).flat();

/** The visible text of blocks. */
const textOf = (blocks: readonly StyledBlock[]): string =>
  blocks
    .flatMap((block) => {
      if (block.type === "text") return block.runs.map(({ text }) => text);
      if (block.type === "table") return block.rows.flat(2).map(({ text }) => text);
      return block.type === "code" ? [block.text] : [];
    })
    .join("");

test("styles are properties of runs, and texts have no escapes", () => {
  expect(one("a **b *c*** `d` [e](https://x.y) ![f](https://x.y/i.png) <&>")).toEqual([
    {
      type: "text",
      quoted: 0,
      runs: [
        { text: "a " },
        { text: "b ", strong: true },
        { text: "c", strong: true, emphasis: true },
        { text: " " },
        { text: "d", code: true },
        { text: " " },
        { text: "e", url: "https://x.y" },
        { text: " " },
        { text: "f", url: "https://x.y/i.png", image: true },
        { text: " <&>" },
      ],
    },
  ]);
});

test("blocks say where they stand", () => {
  expect(one("# A\n\n> b\n>\n> > c\n\n3. d\n\n   e\n4. [x] f\n   - g\n\n---\n\n```ts\nh\n\n i\n```")).toEqual([
    { type: "text", quoted: 0, heading: 1, runs: [{ text: "A" }] },
    { type: "text", quoted: 1, runs: [{ text: "b" }] },
    { type: "text", quoted: 2, runs: [{ text: "c" }] },
    { type: "text", quoted: 0, item: { level: 0, number: 3 }, runs: [{ text: "d" }] },
    { type: "text", quoted: 0, item: { level: 0, number: 3, continued: true }, runs: [{ text: "e" }] },
    { type: "text", quoted: 0, item: { level: 0, number: 4, checked: true }, runs: [{ text: "f" }] },
    { type: "text", quoted: 0, item: { level: 1 }, runs: [{ text: "g" }] },
    { type: "rule", quoted: 0 },
    { type: "code", quoted: 0, language: "ts", text: "h\n\n i" },
  ]);
});

test("tables have rows of cells", () => {
  expect(one("| a | b |\n|:--|--:|\n| **c** | |")).toEqual([
    {
      type: "table",
      quoted: 0,
      columns: ["left", "right"],
      rows: [
        [[{ text: "a" }], [{ text: "b" }]],
        [[{ text: "c", strong: true }], []],
      ],
    },
  ]);
});

test("an item without content is there", () => {
  expect(one("- a\n-\n- b").map((block) => block.type === "text" && block.runs.length)).toEqual([1, 0, 1]);
});

describe("limits", () => {
  test("blocks that do not fit are in the next message; no more than so many in one", () => {
    const source = ["a", "b", "c"].map((letter) => letter.repeat(20)).join("\n\n");
    expect(renderBlocks(source, { maxLength: 45 }).map((message) => message.length)).toEqual([2, 1]);
    expect(renderBlocks(source, { maxBlocks: 1 })).toHaveLength(3);
  });
  test("a long block is cut at a word, its item goes on", () => {
    expect(renderBlocks(`- **${"word ".repeat(9)}word**`, { maxLength: 32 }).flat()).toMatchObject([
      { item: { level: 0 }, runs: [{ text: "word word word word word word", strong: true }] },
      { item: { level: 0, continued: true }, runs: [{ text: "word word word word", strong: true }] },
    ]);
  });
  test("code is cut at a line and keeps its indent; a long table becomes code", () => {
    expect(renderBlocks(`\`\`\`\n${"x".repeat(20)}\n  ${"y".repeat(20)}\n\`\`\``, { maxLength: 32 }).flat()).toMatchObject([
      { text: "x".repeat(20) },
      { text: `  ${"y".repeat(20)}` },
    ]);
    expect(renderBlocks("| aaaaaaaaaa | bbbbbbbbbb |\n|--|--|\n| cccccccccc | dddddddddd |", { maxLength: 32 }).flat()[0]).toMatchObject({
      type: "code",
      text: "aaaaaaaaaa | bbbbbbbbbb",
    });
  });
  test("have a minimum", () => {
    expect(() => renderBlocks("a", { maxLength: 31 })).toThrow(RangeError);
    expect(() => renderBlocks("a", { maxBlocks: 0 })).toThrow(RangeError);
  });

  test("every message fits, and together they are the text", () => {
    const part = fc.constantFrom("word", " ", "\n", "\n\n", "**b**", "`c d`", "- ", "> ", "```\n", "好的。", "👨‍👩‍👧‍👦", "x".repeat(50));
    const unit = fc.constantFrom("utf16" as const, "code-points" as const, "bytes" as const);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 32, max: 90 }), unit, (parts, maxLength, inUnit) => {
        const source = parts.join("");
        const messages = renderBlocks(source, { maxLength, unit: inUnit, maxBlocks: 3 });
        for (const message of messages) {
          expect(measure(textOf(message), inUnit)).toBeLessThanOrEqual(maxLength);
          expect(message.length).toBeLessThanOrEqual(3);
        }
        expect(textOf(messages.flat()).replaceAll(/\s/g, "")).toBe(textOf(one(source)).replaceAll(/\s/g, ""));
      }),
      { numRuns: 300 },
    );
  });
});
