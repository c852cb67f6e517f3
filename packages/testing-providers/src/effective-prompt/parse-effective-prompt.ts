import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** One part of a turn's text, in order. */
export type EffectivePromptPart =
  | { readonly type: "trusted"; readonly fields: JsonObject }
  /** Text of ours between a pair of delimiters: a hook's prepended context, a session hint, a truncation warning. */
  | { readonly type: "block"; readonly title: string; readonly text: string }
  /** Untrusted text: JSON on one line. */
  | { readonly type: "untrusted"; readonly title: string; readonly value: JsonValue }
  | { readonly type: "media"; readonly attachments: readonly string[] }
  | { readonly type: "system-event"; readonly time: string; readonly text: string }
  | { readonly type: "body"; readonly text: string };

/** A parsed turn: its parts, and the same sorted by type. */
export interface ParsedEffectivePrompt {
  readonly delimiter: string;
  readonly parts: readonly EffectivePromptPart[];
  readonly trusted: JsonObject;
  /** The title without `(untrusted)`. Above the body. */
  readonly untrusted: readonly { readonly title: string; readonly value: JsonValue }[];
  /** The same below the body. */
  readonly untrustedSuffix: readonly { readonly title: string; readonly value: JsonValue }[];
  readonly blocks: readonly { readonly title: string; readonly text: string }[];
  readonly attachments: readonly string[];
  readonly systemEvents: readonly { readonly time: string; readonly text: string }[];
  /** Verbatim, with its backslashes; empty if there is none. */
  readonly body: string;
}

/** A text that does not follow the grammar; the message says where. */
export class EffectivePromptSyntaxError extends Error {
  constructor(line: number, message: string) {
    super(`Line ${line + 1}: ${message}`);
    this.name = "EffectivePromptSyntaxError";
  }
}

const OPENING = "Inbound context (trusted):";
const UNTRUSTED = " (untrusted)";
const SYSTEM_EVENT = /^System: \[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] (.*)$/;
const MEDIA = /^\[media attached(?: \d+\/\d+)?: (.*)\]$/;
/** Every kind of line break: a text with another one than `\n` can be read in two ways. */
const FOREIGN_BREAK = /[\0\r\v\f\u0085\u2028\u2029]/;

/**
 * Parses the text of a user message as it was sent, and as a model is instructed to read it: the first line and the JSON after it are trusted and announce a
 * delimiter; from a line `[<delimiter> title]` to the line `[/<delimiter>]` is a block; `System:` lines and media notes precede the body; the body is the rest,
 * followed only by blocks. Independent of the renderer.
 *
 * @throws EffectivePromptSyntaxError for a text that breaks the grammar: no trusted block, a block that is not closed or not JSON, a body in two pieces, a
 *   line break other than `\n`.
 */
export function parseEffectivePrompt(text: string): ParsedEffectivePrompt {
  const lines = text.split("\n");
  const broken = lines.findIndex((line) => FOREIGN_BREAK.test(line));
  if (broken !== -1) throw new EffectivePromptSyntaxError(broken, "a control character that breaks lines stands in it");
  const trusted = readTrusted(lines);
  const delimiter = trusted["delimiter"];
  if (typeof delimiter !== "string" || !/^[0-9a-f]{12}$/.test(delimiter)) {
    throw new EffectivePromptSyntaxError(1, "the trusted block announces no delimiter of twelve hexadecimal digits");
  }
  const parts: EffectivePromptPart[] = [{ type: "trusted", fields: trusted }];
  for (let next = 2; next < lines.length;) {
    const { part, end } = readPart(lines, next, delimiter, parts);
    parts.push(part);
    next = end;
  }
  return sortParts(delimiter, trusted, parts);
}

function readTrusted(lines: readonly string[]): JsonObject {
  if (lines[0] !== OPENING) throw new EffectivePromptSyntaxError(0, `expected "${OPENING}"`);
  const fields = readJson(lines[1] ?? "", 1);
  if (!isJsonObject(fields)) throw new EffectivePromptSyntaxError(1, "the trusted block is no JSON object");
  return fields;
}

interface ReadPart {
  readonly part: EffectivePromptPart;
  /** The line after it. */
  readonly end: number;
}

function readPart(lines: readonly string[], start: number, delimiter: string, before: readonly EffectivePromptPart[]): ReadPart {
  const line = lines[start] ?? "";
  if (isOpening(line, delimiter)) return readBlock(lines, start, delimiter);
  if (before.some(({ type }) => type === "body")) throw new EffectivePromptSyntaxError(start, "text stands between blocks below the body");
  const event = SYSTEM_EVENT.exec(line);
  if (event !== null) return { part: { type: "system-event", time: event[1] ?? "", text: event[2] ?? "" }, end: start + 1 };
  if (MEDIA.test(line)) return readMedia(lines, start);
  return readBody(lines, start, delimiter);
}

function isOpening(line: string, delimiter: string): boolean {
  return line.startsWith(`[${delimiter} `) && line.endsWith("]");
}

function readBlock(lines: readonly string[], start: number, delimiter: string): ReadPart {
  const title = (lines[start] ?? "").slice(delimiter.length + 2, -1);
  const close = lines.indexOf(`[/${delimiter}]`, start + 1);
  if (close === -1) throw new EffectivePromptSyntaxError(start, `the block "${title}" is not closed`);
  const inside = lines.slice(start + 1, close);
  if (!title.endsWith(UNTRUSTED)) return { part: { type: "block", title, text: inside.join("\n") }, end: close + 1 };
  if (inside.length !== 1) throw new EffectivePromptSyntaxError(start + 1, `the block "${title}" is not one line of JSON`);
  const value = readJson(inside[0] ?? "", start + 1);
  if (!isJsonObject(value) && !isJsonArray(value))
    throw new EffectivePromptSyntaxError(start + 1, `the block "${title}" is neither object nor list`);
  return { part: { type: "untrusted", title: title.slice(0, -UNTRUSTED.length), value }, end: close + 1 };
}

function readMedia(lines: readonly string[], start: number): ReadPart {
  let end = start;
  const attachments: string[] = [];
  for (let note = MEDIA.exec(lines[end] ?? ""); note !== null; note = MEDIA.exec(lines[end] ?? "")) {
    attachments.push(note[1] ?? "");
    end += 1;
  }
  return { part: { type: "media", attachments }, end };
}

/** Everything up to the next block. */
function readBody(lines: readonly string[], start: number, delimiter: string): ReadPart {
  const next = lines.findIndex((line, index) => index >= start && isOpening(line, delimiter));
  const end = next === -1 ? lines.length : next;
  const stray = lines.findIndex((line, index) => index >= start && index < end && line === `[/${delimiter}]`);
  if (stray !== -1) throw new EffectivePromptSyntaxError(stray, "a block is closed that was not opened");
  return { part: { type: "body", text: lines.slice(start, end).join("\n") }, end };
}

function readJson(line: string, index: number): JsonValue {
  try {
    return JSON.parse(line) as JsonValue;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EffectivePromptSyntaxError(index, `no JSON: ${error.message}`);
  }
}

function sortParts(delimiter: string, trusted: JsonObject, parts: readonly EffectivePromptPart[]): ParsedEffectivePrompt {
  const place = parts.findIndex(({ type }) => type === "body");
  const split = place === -1 ? parts.length : place;
  const untrustedOf = (list: readonly EffectivePromptPart[]): readonly { title: string; value: JsonValue }[] =>
    list.flatMap((part) => (part.type === "untrusted" ? [{ title: part.title, value: part.value }] : []));
  const body = parts[split];
  return {
    delimiter,
    parts,
    trusted,
    untrusted: untrustedOf(parts.slice(0, split)),
    untrustedSuffix: untrustedOf(parts.slice(split)),
    blocks: parts.flatMap((part) => (part.type === "block" ? [{ title: part.title, text: part.text }] : [])),
    attachments: parts.flatMap((part) => (part.type === "media" ? part.attachments : [])),
    systemEvents: parts.flatMap((part) => (part.type === "system-event" ? [{ time: part.time, text: part.text }] : [])),
    body: body?.type === "body" ? body.text : "",
  };
}
