import { cutText } from "../text/cut-text.ts";

const MAX_NAME_CHARS = 200;
const MAX_EVENT_CHARS = 1_000;

/** Explicit direction marks, which can make a text look like another one. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** Sanitises a name, subject, topic or id from a platform: no control and direction characters, at most 200 characters. May become empty. */
export function sanitizeName(text: string): string {
  return cut(text.replace(BIDI, "").replace(CONTROL, " ").trim(), MAX_NAME_CHARS);
}

/** Sanitises the text of a system event: one line of at most 1,000 characters. */
export function sanitizeEvent(text: string): string {
  return cut(text.replace(BIDI, "").replace(CONTROL, " ").trim(), MAX_EVENT_CHARS);
}

function cut(text: string, maxChars: number): string {
  return cutText(text.toWellFormed(), maxChars, "…");
}
