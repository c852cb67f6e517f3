import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseReply } from "./parse-reply.ts";
import { ReplyParser } from "./reply-parser.ts";

const NONE = { replyTo: { type: "none" }, media: [] };

describe("the final text of a run", () => {
  test.each(["NO_REPLY", " no_reply ", "__SILENT__", "\n__silent__\n", "[[reply_to_current]] NO_REPLY"])("%j is silence", (text) => {
    expect(parseReply(text)).toEqual({ type: "silent" });
  });

  test.each(["NO_REPLY.", "I answer NO_REPLY", "**NO_REPLY**", "`NO_REPLY`", "NO_REPLY NO_REPLY"])("%j is text", (text) => {
    expect(parseReply(text)).toMatchObject({ type: "visible", text });
  });

  test("a reply tag is recognised as the first token only, and is never shown", () => {
    expect(parseReply("[[reply_to_current]] Yes")).toEqual({ type: "visible", text: "Yes", replyTo: { type: "current" }, media: [] });
    expect(parseReply("[[ reply_to: om_1 ]]Yes")).toMatchObject({ text: "Yes", replyTo: { type: "message", id: "om_1" } });
    expect(parseReply("[[reply_to:]] Yes")).toMatchObject({ replyTo: { type: "none" } });
    expect(parseReply("Yes [[reply_to_current]] and [[audio_as_voice]] no")).toEqual({ type: "visible", text: "Yes  and  no", ...NONE });
    expect(parseReply("[[audio_as_voice]][[reply_to_current]] Yes")).toEqual({ type: "visible", text: "Yes", ...NONE });
  });

  test.each([
    "Use this:\n```\n[[reply_to_current]] hi\n```",
    "- so:\n  ~~~sh\n  [[reply_to_current]]\n  MEDIA:a.png\n  ~~~",
    "> ```\n> [[reply_to_current]]\n> ```",
    "Write `[[audio_as_voice]]` first",
    "Write ``a ` [[audio_as_voice]]`` first",
    "```\nMEDIA:a.png",
  ])("tags and lines inside code are text: %j", (text) => {
    expect(parseReply(text)).toEqual({ type: "visible", text, ...NONE });
  });

  test("a backtick without a closing one in its paragraph hides no tag", () => {
    expect(parseReply("it`s [[reply_to_current]]\n\nit`s so")).toMatchObject({ text: "it`s \n\nit`s so" });
    expect(parseReply("a `b\n```\n`\n```")).toMatchObject({ text: "a `b\n```\n`\n```" });
  });
});

describe("MEDIA lines", () => {
  test.each([
    ["MEDIA:out/a.png", "", ["out/a.png"]],
    ["Here it is.\n\nMEDIA: out/my report.pdf \nBye.", "Here it is.\n\nBye.", ["out/my report.pdf"]],
    ["a\nMEDIA:./a.png\nMEDIA:https://example.com/b.png", "a", ["./a.png", "https://example.com/b.png"]],
    ["NO_REPLY\nMEDIA:a.png", "", ["a.png"]],
    ["[[reply_to_current]]\nMEDIA:a.png", "", ["a.png"]],
    ["MEDIA:/etc/passwd", "", ["/etc/passwd"]],
  ])("%j", (text, shown, media) => {
    expect(parseReply(text)).toMatchObject({ type: "visible", text: shown, media });
  });

  test.each([
    "See MEDIA:a.png",
    " MEDIA:a.png",
    "- MEDIA:a.png",
    "`MEDIA:a.png`",
    "**MEDIA:a.png**",
    "MEDIA:`a.png`",
    'MEDIA:"a.png"',
    "MEDIA:<https://example.com/a.png>",
    "MEDIA:[a](b.png)",
    "MEDIA:a.png MEDIA:b.png",
    "MEDIA:",
    "MEDIA: \nx",
    "media:a.png",
    "MEDIA a.png",
    "MEDIAN:a.png",
  ])("%j is text", (text) => {
    expect(parseReply(text)).toEqual({ type: "visible", text: text.trim(), ...NONE });
  });
});

describe("while it is written", () => {
  function pieces(parts: readonly string[], unless?: readonly string[]): readonly string[] {
    const parser = new ReplyParser(unless === undefined ? {} : { unless });
    return [...parts.map((part) => parser.push(part)), parser.end().text];
  }
  const letters = (text: string): readonly string[] => text.split("");

  test.each(["NO_REPLY", "no_reply\n", "  __SILENT__", "[[reply_to_current]] NO_REPLY", "MEDIA:a.png", "MEDIA:a.png\n\n"])(
    "nothing of %j is ever shown, letter by letter",
    (text) => {
      expect(pieces(letters(text)).join("")).toBe("");
    },
  );

  test("an incomplete tag is held back, and shown once it turns out to be none", () => {
    expect(pieces(["[[rep", "ly_to_cur", "rent]]", " Hi"])).toEqual(["", "", "", "Hi", ""]);
    expect(pieces(["A [", "[reply_to:", "om_1", "]] B"])).toEqual(["A", "", "", "  B", ""]);
    expect(pieces(["A [", "[x1", "]"])).toEqual(["A", " [[x1", "]", ""]);
    expect(pieces(["A\nMED", "IA", "NS are"])).toEqual(["A", "", "\nMEDIANS are", ""]);
  });

  test("an already sent text is held back as long as it could be the whole message", () => {
    expect(pieces(["It is", " done."], ["It is done."]).join("")).toBe("");
    expect(pieces(["It is", " done. And", " more"], ["It is done."])).toEqual(["", "It is done. And", " more", ""]);
  });

  test("text does not wait for its line or its paragraph", () => {
    expect(pieces(["Some wor", "ds and `co", "de` more"])).toEqual(["Some wor", "ds and", " `code` more", ""]);
    expect(pieces(["```js\nlet", " a = 1"])).toEqual(["```js\nlet", " a = 1", ""]);
  });

  const piece = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      "[[reply_to_current]]",
      "[[reply_to:x]]",
      "[[",
      "]]",
      "NO_REPLY",
      "MEDIA:",
      "MEDIA:a.png\n",
      "\n",
      "\n\n",
      " ",
      "a",
      "b",
    ),
    fc.constantFrom("`", "``", "```", "```\n", "~~~", "> ", "`a`", "\n```js\n", "[", "audio_as_voice"),
  );

  test("any chunking gives the same result as the whole text", () => {
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat({ max: 200 })), (parts, places) => {
        const text = parts.join("");
        const cuts = [0, ...places.filter((place) => place < text.length).toSorted((one, other) => one - other), text.length];
        const cut = cuts.slice(1).map((to, index) => text.slice(cuts[index], to));
        const parser = new ReplyParser();
        const shown = cut.map((part) => parser.push(part)).join("") + parser.end().text;
        const whole = parseReply(text);
        expect(shown).toBe(whole.type === "silent" ? "" : whole.text);
        if (whole.type === "visible")
          expect({ replyTo: parser.replyTo, media: parser.media }).toEqual({ replyTo: whole.replyTo, media: whole.media });
      }),
      { numRuns: 3_000 },
    );
  });

  test("never shows a tag or a silent token outside of code, whatever a model writes", () => {
    fc.assert(
      fc.property(fc.array(piece), (parts) => {
        const text = parts.join("").replaceAll(/[`~]/g, "");
        const parsed = parseReply(text);
        if (parsed.type !== "visible") return;
        expect(parsed.text).not.toMatch(/\[\[reply_to(?:_current|:x)\]\]/i);
        expect(parsed.text).not.toBe("NO_REPLY");
      }),
    );
  });

  test("a long adversarial text is cheap to parse, whole and in many pieces", () => {
    for (const unit of ["`", "[", "[[reply_to:", "`a``", "MEDIA:", "\n>", "```\n", "a`[["]) {
      const text = unit.repeat(20_000 / unit.length);
      const began = process.threadCpuUsage();
      parseReply(text);
      pieces(text.match(/.{1,7}/gs) ?? []);
      expect(process.threadCpuUsage(began).user, unit).toBeLessThan(2_000_000);
    }
  });
});
