import { checkCard, elementsOf } from "../feishu/card-rules.ts";
import { checkContent } from "../feishu/message-rules.ts";
import { checkCharacters, type DialectRules } from "./dialect-rules.ts";

interface PostElement {
  readonly tag: string;
  readonly text?: string;
}

/** A message of Feishu as JSON of a send: a text, or a post with one `md` element. */
export const FEISHU_MESSAGE: DialectRules = {
  name: "Feishu text and post",
  check(message) {
    const body = JSON.parse(message) as Record<string, unknown>;
    const { messageType } = checkContent(body, Buffer.byteLength(message));
    if (messageType !== "text" && messageType !== "post") throw new Error(`the type ${messageType}`);
    for (const { tag, text = "" } of elementsIn(message)) {
      checkCharacters(text);
      if (tag === "md") checkMarkdown(text);
      else if (/<\/?at\b/i.test(text)) throw new Error("a mention");
    }
  },
  shown: (message) =>
    elementsIn(message)
      .map(({ text = "" }) => text)
      .join("\n"),
};

/** A card of Feishu as JSON of schema 2.0. */
export const FEISHU_CARD: DialectRules = {
  name: "Feishu card",
  check(message) {
    const card = checkCard(JSON.parse(message) as Record<string, unknown>);
    checkCharacters(textsOf(message).join("\n"));
    for (const { tag, content = "" } of elementsOf(card)) if (tag === "markdown") checkMarkdown(content);
  },
  shown: (message) => textsOf(message).join("\n"),
};

function elementsIn(message: string): readonly PostElement[] {
  const { msg_type: type, content } = JSON.parse(message) as { msg_type: string; content: string };
  const parsed = JSON.parse(content) as { text?: string; zh_cn?: { content: PostElement[][] } };
  return type === "text" ? [{ tag: "text", text: parsed.text ?? "" }] : (parsed.zh_cn?.content.flat() ?? []);
}

function textsOf(message: string): readonly string[] {
  const card = checkCard(JSON.parse(message) as Record<string, unknown>);
  return elementsOf(card).flatMap(({ content }) => content ?? []);
}

/** The Markdown of `md` and `markdown` elements: no mentions, no images by address, no headings above the fourth level outside of code. */
function checkMarkdown(text: string): void {
  const outside = text
    .replaceAll(/^[ >]*(`{3,}|~{3,})[^\n]*\n[^]*?(?:\n[ >]*\1[`~]*[ \t]*$|(?![^]))/gm, "")
    .replaceAll(/(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
  if (/<\/?at\b/i.test(text)) throw new Error("a mention");
  if (/(?<!\\)!\[[^\]]*\]\(\s*<?https?:/.test(outside)) throw new Error("an image by its address");
  if (/^ {0,3}#{1,3} /m.test(outside)) throw new Error("a large heading");
}
