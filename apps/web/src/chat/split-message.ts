import { splitLines } from "../markdown/split-lines.ts";

/** A part of a person's message. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "link"; readonly url: string }
  | { readonly type: "code"; readonly language: string | undefined; readonly chunks: readonly string[] };

/** A fenced code block. An unclosed fence extends to the end of the message. */
const FENCE = /(?<=^|\n)(?<mark>`{3,}|~{3,})(?<info>[^`\n]*)\n(?<code>[^]*?)(?:(?<=\n)\k<mark>[`~]*[ \t]*(?:\n|$)|$)/g;
const ADDRESS = /\bhttps?:\/\/[^\s<>"]+/gi;
const TRAILING_PUNCTUATION = ".,;:!?'*_~]}";

/** Splits a person's message into fenced code, web addresses and text as typed. Other Markdown is left alone: it would join lines and remove characters. */
export function splitMessage(text: string): readonly MessagePart[] {
  const parts: (readonly MessagePart[])[] = [];
  let end = 0;
  for (const match of text.matchAll(FENCE)) {
    const { info = "", code = "" } = match.groups ?? {};
    parts.push(splitAddresses(text.slice(end, match.index).replace(/\n$/, "")));
    const [language] = info.trim().split(/\s/);
    parts.push([{ type: "code", language: language === "" ? undefined : language, chunks: splitLines(code.replace(/\n$/, "")) }]);
    end = match.index + match[0].length;
  }
  return [...parts, splitAddresses(text.slice(end))].flat();
}

function splitAddresses(text: string): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let end = 0;
  const add = (plain: string): void => void (plain === "" || parts.push({ type: "text", text: plain }));
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const url = found.slice(0, endOfAddress(found));
    if (!URL.canParse(url)) continue;
    add(text.slice(end, index));
    parts.push({ type: "link", url });
    end = index + url.length;
  }
  add(text.slice(end));
  return parts;
}

/** The length without the punctuation of the sentence around it, and without brackets that were opened before it. */
function endOfAddress(address: string): number {
  let unopened = count(address, ")") - count(address, "(");
  for (let end = address.length; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ")" && unopened > 0) unopened -= 1;
    else if (!TRAILING_PUNCTUATION.includes(last)) return end;
  }
  return 0;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
