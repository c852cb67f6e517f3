import { badRequest } from "./refusal.ts";

/** A style of a part of a text, in UTF-16 units. */
export interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  code: "code",
  pre: "pre",
  a: "text_link",
  blockquote: "blockquote",
  "tg-spoiler": "spoiler",
};
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** The text that HTML of the platform shows, with its styles. Refuses what the platform refuses. */
export function parseTelegramHtml(html: string): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
  let text = "";
  const entities: TelegramEntity[] = [];
  const open: { readonly name: string; readonly offset: number; readonly attribute: string }[] = [];
  const token = /<(\/?)([^\s>/]*)((?:\s[^>]*)?)>|&(#\d+|#x[\da-f]+|\w+);|([^<&]+)|([<&])/giy;
  for (const { index, 0: whole, 1: slash, 2: rawName, 3: attribute = "", 4: reference, 5: plain, 6: stray } of html.matchAll(token)) {
    const byte = Buffer.byteLength(html.slice(0, index));
    if (plain !== undefined) text += plain;
    else if (stray === "&") text += "&";
    else if (stray === "<") throw cannot(`Unclosed start tag at byte offset ${byte}`);
    else if (reference !== undefined) text += decoded(reference) ?? whole;
    else {
      const name = (rawName ?? "").toLowerCase();
      if (slash !== "/") {
        if (TYPES[name] === undefined) throw cannot(`Unsupported start tag "${name}" at byte offset ${byte}`);
        open.push({ name, offset: text.length, attribute });
        continue;
      }
      const started = open.pop();
      if (started === undefined) throw cannot(`Unexpected end tag at byte offset ${byte}`);
      if (started.name !== name)
        throw cannot(`Unmatched end tag at byte offset ${byte}, expected "</${started.name}>", found "</${name}>"`);
      const length = text.length - started.offset;
      const href = /href="([^"]*)"/.exec(started.attribute)?.[1];
      const language = /class="language-([^"]*)"/.exec(started.attribute)?.[1];
      if (length > 0)
        entities.push({
          type: TYPES[name] ?? "",
          offset: started.offset,
          length,
          ...(href !== undefined && { url: href.replaceAll("&amp;", "&") }),
          ...(language !== undefined && { language }),
        });
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw cannot(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return { text, entities };
}

function decoded(reference: string): string | undefined {
  if (!reference.startsWith("#")) return NAMED[reference];
  return String.fromCodePoint(reference[1] === "x" ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1)));
}

function cannot(what: string): Error {
  return badRequest(`can't parse entities: ${what}`);
}
