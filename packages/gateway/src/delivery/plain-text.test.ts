import fc from "fast-check";
import { expect, test } from "vitest";
import { plainText } from "./plain-text.ts";

test.each([
  ["# Title\n\n**bold** and _soft_ ~~gone~~", "Title\n\nbold and soft gone"],
  ["Run `ls -la`:\n\n```sh\nls -la\n```", "Run ls -la:\n\nls -la"],
  [
    "[docs](https://example.com/a) <https://example.com> ![](https://example.com/i.png)",
    "docs (https://example.com/a) https://example.com https://example.com/i.png",
  ],
  ["- one\n- two\n  1. three", "- one\n- two\n  1. three"],
  ["> said\n> so", "said\nso"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "a | b\n1 | 2"],
  ["3 \\* 4 & <b>", "3 * 4 & <b>"],
  ["两行\n文字", "两行\n文字"],
])("%j is converted to plain text", (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain);
});

test("no letter or digit of a paragraph is lost, and nothing throws", () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[a-z0-9]{1,8}$/),
    fc.constantFrom("**", "_", "`", "~~", "#", "> ", "- ", "\n", "\n\n", "[", "](", ")", "|", " ", "```"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const plain = plainText(pieces.join(""));
      if (pieces.every((one) => /^[a-z0-9 ]*$/.test(one))) expect(plain).toBe(pieces.join("").trim());
    }),
  );
  expect(plainText(`${">".repeat(5000)} deep`)).toContain("deep");
});

test("a text that is nested too deeply to be parsed is unchanged", () => {
  const deep = `**bold**\n${"- ".repeat(20_000)}x`;
  expect(plainText(deep)).toBe(deep);
});
