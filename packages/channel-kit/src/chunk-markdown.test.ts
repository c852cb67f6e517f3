import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkMarkdown, createMarkdownStream, measure } from "./index.ts";
import type { ChunkLimits, ChunkOptions, MarkdownChunk } from "./index.ts";

const texts = (source: string, options: ChunkOptions): string[] => chunkMarkdown(source, options).map(({ text }) => text);

/** Independent of the scanner: is every fence of this message closed in it? */
function isBalanced(message: string): boolean {
  let marker = "";
  for (const line of message.split(/\r?\n/)) {
    const run = /^[\s>]*(`{3,}|~{3,})(.*)$/.exec(line);
    if (run === null) continue;
    const [, fence = "", rest = ""] = run;
    if (marker === "") marker = fence.startsWith("`") && rest.includes("`") ? "" : fence;
    else if (fence.startsWith(marker) && rest.trim() === "") marker = "";
  }
  return marker === "";
}

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const inline = fc.oneof(
  { weight: 6, arbitrary: word },
  fc.constantFrom(
    "**bold**",
    "`code`",
    "a ```span``` b",
    "[link](https://example.com/a)",
    "Done.",
    "ok?",
    "好的。",
    "今天天气不错",
    "مرحبا",
    "👨‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪🇫🇷",
    "e\u0301\u0323",
    "क्षि",
    "\u0301",
  ),
);
const sentence = fc.array(inline, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "));
const codeLine = fc.oneof(
  fc.stringMatching(/^[ -~]{0,60}$/).filter((line) => !/[`~]{3}/.test(line)),
  fc.constant(""),
);
const codeBlock = fc
  .record({
    marker: fc.constantFrom("```", "````", "~~~"),
    info: fc.constantFrom("", "ts", "py"),
    lines: fc.array(codeLine, { maxLength: 20 }),
    lead: fc.constantFrom("", "  ", "> "),
  })
  .map(({ marker, info, lines, lead }) => [`${marker}${info}`, ...lines, marker].map((line) => lead + line).join("\n"));
const block = fc.oneof(
  { weight: 3, arbitrary: sentence },
  codeBlock,
  sentence.map((text) => `- ${text}\n- ${text}`),
  sentence.map((text) => `# ${text}`),
);
const markdown = fc
  .record({
    blocks: fc.array(block, { maxLength: 8 }),
    between: fc.constantFrom("\n", "\n\n", "\r\n\r\n", "\n \n\n"),
    tail: fc.constantFrom("", "\n", "\n\n```sh\nls", "   "),
  })
  .map(({ blocks, between, tail }) => blocks.join(between) + tail);
const anything = fc.string({ unit: "binary", maxLength: 400 }).filter((text) => !/[`~]{3}/.test(text));
const plainOptions = fc.record({
  maxLength: fc.integer({ min: 32, max: 300 }),
  unit: fc.constantFrom("utf16" as const, "code-points" as const, "bytes" as const),
  maxLines: fc.constantFrom(4, 6, 17, Number.POSITIVE_INFINITY),
});
const options = fc.oneof(
  plainOptions,
  fc
    .tuple(plainOptions, fc.integer({ min: 1, max: 300 }))
    .map(([plain, least]) => ({ ...plain, minLength: Math.min(least, plain.maxLength) })),
);

/** Pushes a text to a stream in chunks of these lengths, repeatedly. */
function stream(source: string, limits: ChunkOptions, lengths: readonly number[]): MarkdownChunk[] {
  const markdownStream = createMarkdownStream(limits);
  const chunks: MarkdownChunk[] = [];
  for (let at = 0, turn = 0; at < source.length; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    chunks.push(...markdownStream.push(source.slice(at, end)));
    at = end;
  }
  chunks.push(...markdownStream.end());
  expect(markdownStream.coveredEnd).toBe(chunks.at(-1)?.end ?? limits.from ?? 0);
  return chunks;
}

describe("properties for every text and every limit", () => {
  const hold = (source: string, limits: ChunkLimits & Required<Pick<ChunkLimits, "unit" | "maxLines">>): void => {
    const chunks = chunkMarkdown(source, limits);
    const covered = chunks.map(({ start, end }) => source.slice(start, end)).join("");
    expect(covered).toBe(chunks.length === 0 && source.trim() === "" ? "" : source);
    let at = 0;
    for (const { text, start, end } of chunks) {
      expect(start).toBe(at);
      at = end;
      expect(text.trim()).not.toBe("");
      expect(measure(text, limits.unit)).toBeLessThanOrEqual(limits.maxLength);
      expect(text.split("\n").length).toBeLessThanOrEqual(limits.maxLines);
      expect(isBalanced(text), JSON.stringify(text)).toBe(true);
    }
  };

  test("Markdown: spans cover the source, chunks fit, fences are balanced", () => {
    fc.assert(fc.property(markdown, options, hold), { numRuns: 2_000 });
  });

  test("any text", () => {
    fc.assert(fc.property(anything, options, hold), { numRuns: 1_000 });
  });

  test("the chunks of a stream and those cut from its end are the text, without a gap", () => {
    fc.assert(
      fc.property(markdown, options, fc.nat(), (source, limits, seed) => {
        const soFar = source.slice(0, seed % (source.length + 1));
        const sent = chunkMarkdown(soFar, limits).slice(0, -1);
        const from = sent.at(-1)?.end ?? 0;
        const rest = chunkMarkdown(source, { ...limits, from });
        const covered = [...sent, ...rest].map(({ start, end }) => source.slice(start, end)).join("");
        expect(source.slice(covered.length).trim()).toBe("");
        expect(source.startsWith(covered)).toBe(true);
        for (const { text } of rest)
          expect(isBalanced(text) && measure(text, limits.unit) <= limits.maxLength, JSON.stringify(text)).toBe(true);
      }),
    );
  });

  test("a stream that resumes at the end of another one gives the same chunks as that one", () => {
    fc.assert(
      fc.property(
        markdown,
        options,
        fc.nat(),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (source, limits, seed, lengths) => {
          const ends = chunkMarkdown(source, limits).map(({ end }) => end);
          const from = ends[seed % Math.max(1, ends.length)] ?? 0;
          const [streamed, whole] = [stream(source, { ...limits, from }, lengths), chunkMarkdown(source, { ...limits, from })];
          expect(streamed.map(({ text }) => text)).toEqual(whole.map(({ text }) => text));
          // White space between two messages is in neither: it may belong to the end of one or the beginning of the other.
          for (const [index, { end }] of streamed.entries()) {
            const other = whole[index]?.end ?? 0;
            expect(source.slice(Math.min(end, other), Math.max(end, other)).trim()).toBe("");
            expect(streamed[index + 1]?.start ?? end).toBe(end);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a stream may resume anywhere, even after another text, and continues without a gap", () => {
    fc.assert(
      fc.property(
        markdown,
        options,
        fc.nat(),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        (source, limits, from, lengths) => {
          const begin = from % (source.length + 20);
          const chunks = stream(source, { ...limits, from: begin }, lengths);
          const covered = chunks.map(({ start, end }) => source.slice(start, end)).join("");
          expect(source.slice(begin).startsWith(covered)).toBe(true);
          expect(source.slice(begin + covered.length).trim()).toBe("");
          for (const { text } of chunks) expect(measure(text, limits.unit)).toBeLessThanOrEqual(limits.maxLength);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("no grapheme is cut while it fits", () => {
    const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    fc.assert(
      fc.property(fc.array(inline, { minLength: 1, maxLength: 200 }), options, (parts, limits) => {
        const source = parts.join("");
        const boundaries = new Set(Array.from(graphemes.segment(source), ({ index }) => index));
        for (const { start } of chunkMarkdown(source, { ...limits, maxLength: Math.max(limits.maxLength, 64) }))
          expect(boundaries).toContain(start);
      }),
      { numRuns: 500 },
    );
  });
});

describe("a text that is still being written", () => {
  const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 400 })), { minLength: 1, maxLength: 20 });

  test("chunk boundaries do not matter: the messages and spans are those of the whole text", () => {
    fc.assert(
      fc.property(fc.oneof(markdown, anything), options, lengths, (source, limits, pieces) => {
        const chunks = stream(source, limits, pieces);
        expect(chunks.map(({ text }) => text)).toEqual(texts(source, limits));
        const covered = chunks.map(({ start, end }) => source.slice(start, end)).join("");
        expect(source.startsWith(covered)).toBe(true);
        expect(source.slice(covered.length).trim()).toBe("");
      }),
      { numRuns: 3_000 },
    );
  });

  test("a long enough paragraph is emitted once the next one has begun", () => {
    const markdownStream = createMarkdownStream({ maxLength: 400, minLength: 20 });
    expect(markdownStream.push("Short.\n\n")).toEqual([]);
    expect(markdownStream.push("This one is long enough.\n\n")).toEqual([]);
    expect(markdownStream.push("N")).toEqual([{ text: "Short.\n\nThis one is long enough.", start: 0, end: 34 }]);
    expect(markdownStream.push("ext")).toEqual([]);
    expect(markdownStream.end()).toEqual([{ text: "Next", start: 34, end: 38 }]);
  });

  test("a code block is not cut at a paragraph break inside it", () => {
    const markdownStream = createMarkdownStream({ maxLength: 400, minLength: 20 });
    expect(markdownStream.push("```py\nprint('one thing')\n\nprint('another')\n``")).toEqual([]);
    expect(markdownStream.push("`\nSo.")).toEqual([{ text: "```py\nprint('one thing')\n\nprint('another')\n```", start: 0, end: 47 }]);
  });

  test("a minimum length over the maximum is refused", () => {
    expect(() => createMarkdownStream({ maxLength: 40, minLength: 41 })).toThrow(RangeError);
  });
});

describe("where it cuts", () => {
  const a = "a".repeat(20);
  const b = "b".repeat(20);

  test("a text that fits to the character is one chunk", () => {
    expect(texts("x".repeat(40), { maxLength: 40 })).toEqual(["x".repeat(40)]);
    expect(texts("x".repeat(41), { maxLength: 40 })).toEqual(["x".repeat(40), "x"]);
  });

  test("at a paragraph before a later newline", () => {
    expect(texts(`${a}\n\nbbb\nccc\n${"d".repeat(30)}`, { maxLength: 40 })).toEqual([a, `bbb\nccc\n${"d".repeat(30)}`]);
  });

  test("at a newline before a later sentence", () => {
    expect(texts(`${a}\nbb. ccc ${"d".repeat(40)}`, { maxLength: 40 })[0]).toBe(a);
  });

  test("at a sentence before a later space", () => {
    expect(texts(`${a}. bb ${"d".repeat(40)}`, { maxLength: 40 })[0]).toBe(`${a}.`);
    expect(texts(`${"好".repeat(20)}。后 ${"天".repeat(40)}`, { maxLength: 40 })[0]).toBe(`${"好".repeat(20)}。`);
  });

  test("at a space before the middle of a word", () => {
    expect(texts(`${a} ${b}${b}`, { maxLength: 40 })).toEqual([a, b + b]);
  });

  test("skips early breaks, so that no message is nearly empty", () => {
    expect(texts(`Hi.\n\n${"w".repeat(60)}`, { maxLength: 40 })[0]).toBe(`Hi.\n\n${"w".repeat(35)}`);
  });

  test("a cut code block is closed and opened again, language and indent included", () => {
    const code = Array.from({ length: 6 }, (_, index) => `  line ${index} of the code`).join("\n");
    const chunks = texts(`Look:\n\n\`\`\`\`python\n${code}\n\`\`\`\`\n\nDone.`, { maxLength: 100 });
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks[0]).toMatch(/^Look:\n\n````python\n {2}line 0[^]*\n````$/);
    expect(chunks[1]).toMatch(/^````python\n {2}line \d/);
  });

  test("a block cut just before its closing line leaves no empty block", () => {
    const code = `\`\`\`\n${"x".repeat(28)}\n\`\`\``;
    for (const chunk of texts(`${"t".repeat(30)}\n${code}\nafter`, { maxLength: 40 })) expect(chunk).not.toMatch(/^```\n```$/);
  });

  test("a word that looks like a fence does not start a message", () => {
    const source = `${"w".repeat(34)} \`\`\`not a fence\`\`\` and more words to come`;
    for (const chunk of texts(source, { maxLength: 40 })) expect(chunk).not.toMatch(/^```/);
  });

  test("only white space gives no message", () => {
    expect(chunkMarkdown(" \n\n ", { maxLength: 40 })).toEqual([]);
    expect(chunkMarkdown("", { maxLength: 40 })).toEqual([]);
  });

  test("a limit too small to hold a fence is refused", () => {
    expect(() => chunkMarkdown("a", { maxLength: 31 })).toThrow(RangeError);
    expect(() => chunkMarkdown("a", { maxLength: 40, maxLines: 3 })).toThrow(RangeError);
  });
});

const ways: Record<string, (source: string) => unknown> = {
  whole: (source) => chunkMarkdown(source, { maxLength: 200 }),
  "in pieces": (source) => stream(source, { maxLength: 1_200, minLength: 800 }, [400]),
};

test.each(Object.keys(ways))("long texts take linear time: %s", (way) => {
  for (const unit of ["word ", "w", "```\ncode\n```\n", "\n", "👍🏽", "> ```\n", " "]) {
    const source = unit.repeat(800_000 / unit.length);
    // CPU time in microseconds, independent of the load of the machine. Linear is 0.1 s here, one pass per character takes minutes.
    const began = process.threadCpuUsage();
    ways[way]?.(source);
    expect(process.threadCpuUsage(began).user, JSON.stringify(unit)).toBeLessThan(4_000_000);
  }
});
