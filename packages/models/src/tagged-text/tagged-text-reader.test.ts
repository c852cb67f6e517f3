import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Piece, type TagChoice, TaggedTextReader } from "./tagged-text-reader.ts";

const BOTH: TagChoice = { thinking: true, calls: true };

/** Reads a text in these chunks; adjacent parts of one type are joined, as a message joins them. */
function read(pieces: readonly string[], choice: TagChoice = BOTH): Piece[] {
  const reader = new TaggedTextReader(choice);
  const joined: Piece[] = [];
  for (const piece of [...pieces.flatMap((text) => reader.read(text)), ...reader.end()]) {
    const last = joined.at(-1);
    if (last !== undefined && (last.type === "text" || last.type === "thinking") && last.type === piece.type) {
      joined[joined.length - 1] = { type: last.type, text: last.text + piece.text };
    } else joined.push(piece);
  }
  return joined;
}

const text = (value: string): Piece => ({ type: "text", text: value });
const thought = (value: string): Piece[] => [{ type: "thinking", text: value }, { type: "thinking-end" }];
const call = (body: string, closed = true): Piece => ({ type: "call", body, closed });

const CASES: readonly (readonly [name: string, text: string, pieces: readonly Piece[]])[] = [
  ["a thought before the answer", "<think>\nI look.\n</think>\n\nHello.", [...thought("I look."), text("Hello.")]],
  ["a thought within a line, in capitals", "Well <THINKING>hm</THINKING> yes", [text("Well"), ...thought("hm"), text("yes")]],
  ["a thought that is never closed", "Well.\n<think>I wonder", [text("Well."), ...thought("I wonder")]],
  ["an empty thought", "<think>\n\n</think>\n\nHi", [{ type: "thinking-end" }, text("Hi")]],
  ["a closing tag alone", "hm</think>\nHello", [text("hm\nHello")]],
  [
    "tags in a fence",
    "```xml\n<think>no</think>\n<tool_call>{}</tool_call>\n```\nok",
    [text("```xml\n<think>no</think>\n<tool_call>{}</tool_call>\n```\nok")],
  ],
  ["tags in a fence of tildes with backticks in it", "~~~\n```\n<think>\n~~~", [text("~~~\n```\n<think>\n~~~")]],
  [
    "a fence that is closed by a longer one only",
    "````\n```\n<think>\n````\n<think>x</think>",
    [text("````\n```\n<think>\n````"), ...thought("x")],
  ],
  ["tags in an inline span", "Use `<think>` and ``<tool_call>`` so.", [text("Use `<think>` and ``<tool_call>`` so.")]],
  ["three backticks within a line are a span", "```<think>``` <think>x</think>", [text("```<think>```"), ...thought("x")]],
  ["an open span ends with its line", "a ` b\n<think>x</think>", [text("a ` b"), ...thought("x")]],
  ["a call", 'Let me look.\n<tool_call>\n{"name":"ls"}\n</tool_call>\n', [text("Let me look."), call('\n{"name":"ls"}\n')]],
  ["several calls", "<tool_call>{1}</tool_call>\n<tool_call>{2}</tool_call>", [call("{1}"), call("{2}")]],
  ["a closing tag in a string", '<tool_call>{"a":"</tool_call>"}</tool_call>x', [call('{"a":"</tool_call>"}'), text("x")]],
  ["an escaped quote", '<tool_call>{"a":"\\"</tool_call>"}</tool_call>', [call('{"a":"\\"</tool_call>"}')]],
  [
    "a quote that is never closed, and a call after it",
    '<tool_call>{"a":"b}</tool_call>\n<tool_call>{}</tool_call>',
    [call('{"a":"b}'), call("{}")],
  ],
  ["a call that is never closed", '<tool_call>{"name":"ls"}', [call('{"name":"ls"}', false)]],
  ["a made-up result after a call", '<tool_call>{}</tool_call>\n<tool_result name="ls">\na.txt\n</tool_result> So!', [call("{}")]],
  ["the word of a result without a call", "<tool_result is a tag", [text("<tool_result is a tag")]],
  ["what only begins like a tag", "1 <thin air, 2 <t", [text("1 <thin air, 2 <t")]],
  ["a fence inside a thought", "<think>```\nx</think>ok", [...thought("```\nx"), text("ok")]],
];

describe("parsing", () => {
  test.each(CASES)("%s", (_name, source, pieces) => {
    expect(read([source])).toEqual(pieces);
    expect(read(Array.from(source))).toEqual(pieces);
  });
});

const fragments = fc.constantFrom(
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_result>",
  '{"name":"ls","arguments":{}}',
  '"',
  "\\",
  "`",
  "```\n",
  "~~~\n",
  "\n",
  "  ",
  "a",
  "文",
  "👋",
  "<",
  "</t",
  ">",
);
const texts = fc.array(fragments, { maxLength: 25 }).map((parts) => parts.join(""));

test("the result does not depend on the chunk boundaries", () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 60 })), (source, cuts) => {
      const points = [...new Set([0, ...cuts.map((cut) => cut % (source.length + 1)), source.length])].sort((a, b) => a - b);
      const pieces = points.slice(1).map((end, index) => source.slice(points[index], end));
      expect(read(pieces)).toEqual(read([source]));
      expect(read(source.split(""))).toEqual(read([source]));
    }),
    { numRuns: 2_000 },
  );
});

test("a text without tags is unchanged", () => {
  const plain = fc.string({ unit: "grapheme", maxLength: 80 }).filter((value) => !/<\/?(?:think|thought|tool_)/i.test(value));
  fc.assert(
    fc.property(plain, (source) => {
      expect(read([source])).toEqual(source === "" ? [] : [text(source)]);
      expect(read([source], { thinking: false, calls: false })).toEqual(source === "" ? [] : [text(source)]);
    }),
    { numRuns: 1_000 },
  );
});

test("tags that are not enabled are plain text", () => {
  const source = "<think>a</think> <tool_call>{}</tool_call>";
  expect(read([source], { thinking: false, calls: false })).toEqual([text(source)]);
  expect(read([source], { thinking: true, calls: false })).toEqual([...thought("a"), text("<tool_call>{}</tool_call>")]);
});
