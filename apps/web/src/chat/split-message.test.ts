import fc from "fast-check";
import { expect, test } from "vitest";
import { type MessagePart, splitMessage } from "./split-message.ts";

const show = (part: MessagePart): string => {
  if (part.type === "text") return part.text;
  return part.type === "link" ? `<${part.url}>` : `[${part.language ?? ""}: ${part.chunks.join("")}]`;
};
const shown = (text: string): string => splitMessage(text).map(show).join("|");

test.each([
  ["hello\n*you*  \n1. and me", "hello\n*you*  \n1. and me"],
  ["see https://a.example/x?y=1.", "see |<https://a.example/x?y=1>|."],
  ["(https://a.example/b_(c)), or http://b.example", "(|<https://a.example/b_(c)>|), or |<http://b.example>"],
  ["javascript:alert(1) https:// nothing", "javascript:alert(1) https:// nothing"],
  ["What is wrong?\n```ts\nconst a = `b`;\n\nlet c;\n```\nThanks", "What is wrong?|[ts: const a = `b`;\n\nlet c;]|Thanks"],
  ["```\nhttps://a.example\n```", "[: https://a.example]"],
  ["~~~~js x\n~~~\n~~~~", "[js: ~~~]"],
  ["```\nnever closed\n", "[: never closed]"],
  ["a ```b``` c", "a ```b``` c"],
  ["```\na\n```\n```\nb\n```", "[: a]|[: b]"],
])("splits %j", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("keeps all text", () => {
  const part = fc.constantFrom("```\n", "\n```\n", "~~~\n", "https://a.example", ".", ")", "(", " words ", "\n", "`");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      const kept = splitMessage(text)
        .map((piece) => (piece.type === "text" ? piece.text : piece.type === "link" ? piece.url : piece.chunks.join("")))
        .join("");
      const bare = (all: string): string => all.replaceAll(/[`~\s]/g, "");
      expect(bare(kept)).toBe(bare(text));
    }),
  );
});

test.each([")", ".", "!)", "```", "\n```\n", "https://", "http://a "])(
  "splits a message of 100,000 times %j in linear time",
  (repeated) => {
    const startedAt = process.cpuUsage();
    splitMessage(`https://a.example/${repeated.repeat(100_000)}x ${repeated.repeat(100_000)}`);
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(2000);
  },
);
