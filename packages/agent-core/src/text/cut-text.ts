/** The first `chars` characters, or one fewer to avoid splitting a surrogate pair. */
export function headOf(text: string, chars: number): string {
  return text.slice(0, isInsidePair(text, chars) ? chars - 1 : Math.max(0, chars));
}

/** The last `chars` characters, or one fewer to avoid splitting a surrogate pair. */
export function tailOf(text: string, chars: number): string {
  const start = Math.max(0, text.length - Math.max(0, chars));
  return text.slice(isInsidePair(text, start) ? start + 1 : start);
}

/**
 * Truncates to `maxChars` UTF-16 units without splitting a surrogate pair; a truncated text ends with `mark`, which is included. A limit below the mark's
 * length gives an empty text.
 */
export function cutText(text: string, maxChars: number, mark: string): string {
  if (text.length <= maxChars) return text;
  return maxChars < mark.length ? "" : `${headOf(text, maxChars - mark.length)}${mark}`;
}

function isInsidePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
