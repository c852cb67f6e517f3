import type { Dialect, Frame } from "../render/dialect.ts";
import { plainFrame, plainText } from "./plain-text.ts";

const BOLD = toggle("\u0002", "strong");
const ITALIC = toggle("\u001d", "emphasis");
const STRUCK = toggle("\u001e", "strikethrough");
const MONOSPACE = "\u0011";

/**
 * Text with control codes that switch styles on and off and end with their line, as terminals of old chat networks show it. For networks with one line a message
 * render with `maxLines: 1`.
 */
export function controlCodes(): Dialect {
  return {
    ...plainText(),
    stylesEndWithLine: true,
    frame(span) {
      switch (span.type) {
        case "strong":
        case "heading":
          return BOLD;
        case "emphasis":
          return ITALIC;
        case "strikethrough":
          return STRUCK;
        case "code":
          return { ...toggle(MONOSPACE, "code"), content: "code" };
        case "code-block":
          return { ...toggle(MONOSPACE, "code"), content: "code-block" };
        case "paragraph":
        case "quote":
        case "link":
        case "image":
        case "list":
        case "item":
        case "table":
        case "row":
        case "cell":
          return plainFrame(span);
      }
    },
  };
}

function toggle(code: string, key: string): Frame {
  return { type: "style", open: code, close: code, key };
}
