import type { JsonValue } from "@factotum/agent-contract";
import { cutText } from "../text/cut-text.ts";
import { renderJson } from "./render-json.ts";

/** Characters of one block in an older turn. */
export const MAX_OLDER_BLOCK_CHARS = 1_000;

/** Tried in this order; the first length of a block's texts with which the block fits is taken. */
const TEXT_CHARS = [1_000, 700, 500, 350, 250, 180, 120, 80, 50, 20, 0] as const;
/** Texts of a list are not cut below this while an older item can go instead. */
const MIN_LIST_TEXT_CHARS = 180;
/** More items than this never fit. */
const MAX_ITEMS = 20;

/**
 * The value with at most 1,000 characters of JSON: its longest texts are cut, and a list loses its oldest items (and says how many) before its texts
 * become too short to be of use. A value that fits comes back as it is. Pure.
 */
export function limitBlock(value: JsonValue): JsonValue {
  if (fits(value) || !Array.isArray(value)) return cutTexts(value, TEXT_CHARS);
  const lengths = TEXT_CHARS.filter((maxChars) => maxChars >= MIN_LIST_TEXT_CHARS);
  for (let from = Math.max(0, value.length - MAX_ITEMS); from < value.length - 1; from++) {
    const cut = cutTexts(itemsFrom(value, from), lengths);
    if (fits(cut)) return cut;
  }
  return cutTexts(itemsFrom(value, value.length - 1), TEXT_CHARS);
}

function itemsFrom(items: readonly JsonValue[], from: number): readonly JsonValue[] {
  return from <= 0 ? items : [{ left_out: from }, ...items.slice(from)];
}

/** With texts of the first length that makes it fit, or of the last one. */
function cutTexts(value: JsonValue, lengths: readonly number[]): JsonValue {
  let cut = value;
  for (const maxChars of lengths) {
    if (fits(cut)) break;
    cut = mapTexts(value, (text) => cutText(text, maxChars, "…"));
  }
  return cut;
}

function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, item === undefined ? item : mapTexts(item, change)]));
}

function fits(value: JsonValue): boolean {
  return renderJson(value).length <= MAX_OLDER_BLOCK_CHARS;
}
