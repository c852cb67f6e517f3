import fc from "fast-check";
import { expect, test } from "vitest";
import { chunkNote, estimateTokens } from "./chunk-note.ts";

const sentence = (index: number): string => `Sentence ${index} says that the shed has ${index} shelves of jars.`;
const long = Array.from({ length: 120 }, (_, index) => sentence(index)).join("\n");

test("a heading starts a passage, which knows the headings above it", () => {
  const chunks = chunkNote("# House\n\nRent is due on the 3rd.\n\n## Boiler\nServiced in May.\n## Keys\n### Spare\nWith Anna.\n");
  expect(chunks.map(({ startLine, endLine, headings }) => [startLine, endLine, headings])).toEqual([
    [1, 3, ["House"]],
    [5, 6, ["House", "Boiler"]],
    [7, 9, ["House", "Keys", "Spare"]],
  ]);
});

test("a long section becomes passages of at most 400 tokens that share up to 80", () => {
  const chunks = chunkNote(long);
  expect(chunks.length).toBeGreaterThan(4);
  for (const [index, { text, startLine }] of chunks.entries()) {
    expect(estimateTokens(text)).toBeLessThanOrEqual(420);
    const before = chunks[index - 1];
    if (before === undefined) continue;
    expect(startLine).toBeLessThanOrEqual(before.endLine);
    expect(startLine).toBeGreaterThan(before.startLine);
  }
});

test("a code fence stays whole, and a heading in it is none", () => {
  const code = ["```sh", "# not a heading", ...Array.from({ length: 30 }, (_, index) => `echo ${index} and some more words`), "```"].join(
    "\n",
  );
  const text = `${Array.from({ length: 18 }, (_, index) => sentence(index)).join("\n")}\n${code}\nAfterwards.`;
  const holding = chunkNote(text).filter((chunk) => chunk.text.includes("# not a heading"));
  expect(holding).toHaveLength(1);
  expect(holding[0]?.text).toContain(code);
});

test("one very long line is split, and cited as that line", () => {
  const chunks = chunkNote(`short\n${"word ".repeat(3000)}`);
  expect(chunks.length).toBeGreaterThan(5);
  expect(chunks.every(({ endLine }) => endLine <= 2)).toBe(true);
  expect(estimateTokens(chunks[2]?.text ?? "")).toBeLessThanOrEqual(420);
});

test("every line that is not blank is in a passage, and the text of a passage is that of its lines", () => {
  const line = fc.constantFrom(
    "",
    "# One",
    "## Two",
    "```",
    "~~~~",
    "~~~",
    "text of a line",
    "数据库迁移的负责人",
    sentence(3),
    sentence(7).repeat(8),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 80 }), (lines) => {
      const chunks = chunkNote(lines.join("\n"));
      const covered = new Set<number>();
      for (const { startLine, endLine, text } of chunks) {
        expect(text).toBe(lines.slice(startLine - 1, endLine).join("\n"));
        for (let at = startLine; at <= endLine; at += 1) covered.add(at);
      }
      for (const [index, one] of lines.entries()) if (one.trim() !== "") expect(covered).toContain(index + 1);
    }),
  );
});
