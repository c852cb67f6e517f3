import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseReply } from "./parse-reply.ts";

describe("what a final text asks for", () => {
  test.each(["NO_REPLY", " no_reply ", "__SILENT__", "\n__silent__\n", "[[reply_to_current]] NO_REPLY"])("%j is silence", (text) => {
    expect(parseReply(text)).toEqual({ type: "silent" });
  });

  test.each(["NO_REPLY.", "I answer NO_REPLY", "**NO_REPLY**", "`NO_REPLY`", "NO_REPLY NO_REPLY"])("%j is text", (text) => {
    expect(parseReply(text)).toMatchObject({ type: "visible", text });
  });

  test("a reply tag counts as the first token only, and is never shown", () => {
    expect(parseReply("[[reply_to_current]] Yes")).toEqual({ type: "visible", text: "Yes", replyTo: { type: "current" } });
    expect(parseReply("[[ reply_to: om_1 ]]Yes")).toEqual({ type: "visible", text: "Yes", replyTo: { type: "message", id: "om_1" } });
    expect(parseReply("[[reply_to:]] Yes")).toMatchObject({ replyTo: { type: "none" } });
    expect(parseReply("Yes [[reply_to_current]] and [[audio_as_voice]] no")).toEqual({
      type: "visible",
      text: "Yes  and  no",
      replyTo: { type: "none" },
    });
  });

  test("tags inside code are text", () => {
    const fenced = "Use this:\n```\n[[reply_to_current]] hi\n```";
    expect(parseReply(fenced)).toMatchObject({ text: fenced });
    expect(parseReply("Write `[[audio_as_voice]]` first")).toMatchObject({ text: "Write `[[audio_as_voice]]` first" });
  });

  test("never throws and never shows a tag outside code, whatever a model writes", () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom("[[reply_to_current]]", "[[reply_to:x]]", "[[", "]]", "NO_REPLY", "\n", " "));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("").replaceAll(/[`~]/g, "");
        const parsed = parseReply(text);
        if (parsed.type === "visible") expect(parsed.text).not.toMatch(/\[\[reply_to(?:_current|:x)\]\]/i);
      }),
    );
  });
});
