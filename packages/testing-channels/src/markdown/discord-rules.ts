import { checkContent } from "../discord/checks.ts";
import { checkCharacters, checkFences, type DialectRules } from "./dialect-rules.ts";

/** Discord's Markdown, by its documentation. What it shows depends on a parser of Markdown: `shown` gives the message as it is. */
export const DISCORD_MARKDOWN: DialectRules = {
  name: "Discord Markdown",
  check(message) {
    checkContent({ json: { content: message }, files: [] });
    checkCharacters(message);
    checkFences(message);
    const text = withoutCode(message);
    if (/@(?:everyone|here)/.test(text)) throw new Error("a mention of everybody");
    if (/(?<!\\)<(?:@[!&]?\d+|#\d+|\/[^:>]+:\d+|a?:\w+:\d+|t:\d+(?::\w)?|id:\w+)>/.test(text))
      throw new Error("a reference of the platform");
    if (/^#{4,6} /m.test(text)) throw new Error("a heading below the third level");
    if (/^\|.*\|\n\|(?: ?:?-+:? ?\|)+$/m.test(text)) throw new Error("a table");
    if (/(?<!\\)!\[[^\]]*\]\(/.test(text)) throw new Error("an image");
    if (/^-# /m.test(text)) throw new Error("small text");
    if (/(?<!\\)\|\|[^|]+\|\|/.test(text)) throw new Error("a spoiler");
    for (const [, url = ""] of text.matchAll(/(?<!\\)\]\((?!\))([^)\s]*)\)/g))
      if (/^\w+:/.test(url) && !/^(?:https?:\/\/|mailto:|tel:)/i.test(url)) throw new Error(`a link to ${url}`);
  },
  shown: (message) => message,
};

function withoutCode(message: string): string {
  return message.replaceAll(/^[ >]*(`{3,})[^`\n]*\n[^]*?\n?[ >]*\1`*$/gm, "").replaceAll(/(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
}
