import { describe, expect, test } from "vitest";
import { boundBody } from "./bounded-body.ts";

/** The chunks that pass, and whether the source was cancelled. */
async function read(pieces: readonly string[]): Promise<{ readonly text: string; readonly failure?: string; readonly cancelled: boolean }> {
  let cancelled = false;
  const left = [...pieces];
  const source = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const piece = left.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(Buffer.from(piece));
      },
      cancel: () => void (cancelled = true),
    },
    { highWaterMark: 0 },
  );
  const bounded = boundBody(source, { maxEventBytes: 8, maxAnswerBytes: 30 }, (limit) => new Error(limit));
  let text = "";
  try {
    for await (const chunk of bounded) text += Buffer.from(chunk).toString("utf8");
    return { text, cancelled };
  } catch (error) {
    return { text, failure: error instanceof Error ? error.message : "", cancelled };
  }
}

describe("boundBody", () => {
  test.each([
    ["LF", ["1234567\n\n", "123\n567\n\n"]],
    ["CRLF", ["123456\r\n\r\n", "12345\r\n\r\n"]],
    ["CR", ["1234567\r\r", "12345\r\r"]],
    ["a CRLF in two pieces", ["123456\r", "\n\r", "\n12345"]],
    ["a blank line in two pieces", ["1234567\n", "\n1234567\n", "\n"]],
    ["one byte a piece", "123456\r\n\r\n1234567\n\n".split("")],
  ])("passes events of 8 bytes that end with %s", async (_name, pieces) => {
    expect(await read(pieces)).toEqual({ text: pieces.join(""), cancelled: false });
  });

  test.each([
    ["in one piece", ["123456789"], ""],
    ["in several pieces", ["12345678", "9"], "12345678"],
    ["in several lines", ["1234567\n", "8\n"], "1234567\n"],
    ["behind one that fits", ["1234567\n\n", "123456789"], "1234567\n\n"],
    ["inside a larger piece", ["1\n\n123456789\n\n1"], ""],
    ["of lines that end with CRLF", ["123\r\n", "4567"], "123\r\n"],
  ])("ends at an event of 9 bytes %s, and cancels the source", async (_name, pieces, text) => {
    expect(await read(pieces)).toEqual({ text, failure: "event", cancelled: true });
  });

  test("ends after the byte limit of the answer, however small its events", async () => {
    const pieces = Array.from({ length: 8 }, () => ":\n\n:\n");
    expect(await read(pieces)).toEqual({ text: pieces.slice(0, 6).join(""), failure: "answer", cancelled: true });
  });
});
