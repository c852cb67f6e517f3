/** One step of an HTML text in reading order. */
export type HtmlToken =
  | { readonly type: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: "close"; readonly name: string }
  | { readonly type: "text"; readonly text: string };

/** A longer tag is text: unclosed quotes must not be searched for ever. */
const MAX_TAG_LENGTH = 4_096;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Cuts the HTML of a message into tags and texts. Linear; what is no tag is text, and comments are dropped. */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    const end = start === -1 ? html.length : start;
    if (end > at) yield { type: "text", text: decode(html.slice(at, end)) };
    if (start === -1) return;
    if (html.startsWith("<!--", start)) {
      const close = html.indexOf("-->", start);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const name = /^<(\/?)([a-zA-Z][a-zA-Z0-9-]{0,30})/.exec(html.slice(start, start + 34));
    const close = name === null ? -1 : tagEnd(html, start);
    if (name === null || close === -1) {
      yield { type: "text", text: "<" };
      at = start + 1;
      continue;
    }
    const [head, slash, tag = ""] = name;
    const lower = tag.toLowerCase();
    if (slash === "/") yield { type: "close", name: lower };
    else yield { type: "open", name: lower, attributes: attributesOf(html.slice(start + head.length, close)) };
    at = close + 1;
  }
}

/** The `>` of a tag; one in quotes does not end it. */
function tagEnd(html: string, start: number): number {
  let quote = "";
  const limit = Math.min(html.length, start + MAX_TAG_LENGTH);
  for (let at = start; at < limit; at += 1) {
    const character = html.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === ">") return at;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

function attributesOf(source: string): ReadonlyMap<string, string> {
  const found = source.matchAll(/([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g);
  return new Map(
    Array.from(found, ([, name = "", double, single, bare]) => [name.toLowerCase(), decode(double ?? single ?? bare ?? "")] as const),
  );
}

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}
