import type { JsonValue } from "@factotum/agent-contract";
import { cutText } from "../text/cut-text.ts";
import { renderJson } from "./render-json.ts";

/** Maximum characters of one block in an older turn. */
export const MAX_OLDER_BLOCK_CHARS = 1_000;

/** Lengths to try in order: texts of a block are cut to the first one with which it fits. */
const TEXT_CHARS = [1_000, 700, 500, 350, 250, 180, 120, 80, 50, 20, 0] as const;
/** Texts of a list are not cut below this length while an older item can be dropped. */
const MIN_LIST_TEXT_CHARS = 180;
/** More items never fit. */
const MAX_ITEMS = 20;

/**
 * Limits a value to 1,000 characters of JSON: truncates its longest texts, and drops a list's oldest items (with a count) before texts become too short to be
 * useful. A value that fits is returned unchanged. Pure.
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

/** Truncates texts to the first length with which the value fits, or to the last one. */
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
