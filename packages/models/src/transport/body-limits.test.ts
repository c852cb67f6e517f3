import { describe, expect, test } from "vitest";
import { createBodyCheck } from "./body-limits.ts";

/** The text before the first piece that exceeds a limit, and that limit. */
function read(pieces: readonly string[]): { readonly text: string; readonly failure?: string } {
  const check = createBodyCheck({ maxEventBytes: 8, maxAnswerBytes: 30 }, (limit) => new Error(limit));
  let text = "";
  for (const piece of pieces) {
    const failure = check(Buffer.from(piece));
    if (failure !== undefined) return { text, failure: failure.message };
    text += piece;
  }
  return { text };
}

describe("createBodyCheck", () => {
  test.each([
    ["LF", ["1234567\n\n", "123\n567\n\n"]],
    ["CRLF", ["123456\r\n\r\n", "12345\r\n\r\n"]],
    ["CR", ["1234567\r\r", "12345\r\r"]],
    ["a CRLF in two pieces", ["123456\r", "\n\r", "\n12345"]],
    ["a blank line in two pieces", ["1234567\n", "\n1234567\n", "\n"]],
    ["one byte a piece", "123456\r\n\r\n1234567\n\n".split("")],
  ])("passes events of 8 bytes that end with %s", (_name, pieces) => {
    expect(read(pieces)).toEqual({ text: pieces.join("") });
  });

  test.each([
    ["in one piece", ["123456789"], ""],
    ["in several pieces", ["12345678", "9"], "12345678"],
    ["in several lines", ["1234567\n", "8\n"], "1234567\n"],
    ["behind one that fits", ["1234567\n\n", "123456789"], "1234567\n\n"],
    ["inside a larger piece", ["1\n\n123456789\n\n1"], ""],
    ["of lines that end with CRLF", ["123\r\n", "4567"], "123\r\n"],
  ])("ends at an event of 9 bytes %s", (_name, pieces, text) => {
    expect(read(pieces)).toEqual({ text, failure: "maxEventBytes" });
  });

  test("ends after the byte limit of the answer, however small its events", () => {
    const pieces = Array.from({ length: 8 }, () => ":\n\n:\n");
    expect(read(pieces)).toEqual({ text: pieces.slice(0, 6).join(""), failure: "maxAnswerBytes" });
  });
});
