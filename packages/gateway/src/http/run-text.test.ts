import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RunText } from "./run-text.ts";

function visible(pieces: readonly string[]): string {
  const text = new RunText("r");
  const begin = text.push({ type: "block-start", runId: "r", block: "text" });
  return begin + pieces.map((piece) => text.push({ type: "block-delta", runId: "r", text: piece })).join("") + end(text, "r");
}

function end(text: RunText, runId: string): string {
  return text.push({ type: "run-end", runId, outcome: { type: "done" } });
}

describe("the text of a streamed answer", () => {
  test.each([
    ["Hello.", "Hello."],
    ["  Hello. \n", "Hello."],
    ["NO_REPLY", ""],
    [" no_reply\n", ""],
    ["__SILENT__", ""],
    ["NO_REPLY is the token", "NO_REPLY is the token"],
    ["No, never", "No, never"],
    ["[[reply_to_current]] Hello", "Hello"],
    ["[[reply_to:om_1]]\nHello", "Hello"],
    ["[[reply_to_current]] NO_REPLY", ""],
    ["[[ not a tag ]] text", "[[ not a tag ]] text"],
    ["[1] a note", "[1] a note"],
    ["Here.\nMEDIA:out/a b.png\nBye.", "Here.\nBye.\n\n📎 a b.png"],
    ["MEDIA:https://example.com/x/y.pdf?z=1", "📎 y.pdf"],
    ["", ""],
  ])("%j is shown as %j, for any chunk boundaries", (text, shown) => {
    expect(visible([text])).toBe(shown);
    expect(visible(text.split(""))).toBe(shown);
  });

  test("any chunk boundaries give the same characters", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom("NO_REPLY", "__SILENT__", "[[", "]]", "[[reply_to_current]]", "reply_to:", " ", "\n"),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(visible(pieces)).toBe(visible([pieces.join("")]));
      }),
    );
  });

  test("answers of one run are separated, other runs and thoughts are excluded", () => {
    const text = new RunText("r1");
    const delta = (runId: string, piece: string): string => text.push({ type: "block-delta", runId, text: piece });
    const say = (runId: string, block: "text" | "thinking", piece: string): string =>
      text.push({ type: "block-start", runId, block }) + delta(runId, piece);
    const all = [
      say("r1", "thinking", "hm"),
      say("r1", "text", "First. "),
      say("r2", "text", "other"),
      say("r1", "text", "NO_REPLY"),
      say("r1", "text", "Second."),
      end(text, "r1"),
    ];
    expect(all.join("")).toBe("First.\n\nSecond.");
  });
});
