/** The unit in which a platform limits texts. */
export type TextUnit = "utf16" | "code-points" | "bytes";

/** The length of `text` in `unit`. */
export function measure(text: string, unit: TextUnit): number {
  if (unit === "utf16") return text.length;
  let total = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    total += costOf(codePoint, unit);
    at += codePoint > 0xffff ? 2 : 1;
  }
  return total;
}

/** The offset reached from `start` within `room` units and `newlines` line ends. */
export function advance(
  source: string,
  start: number,
  limits: { readonly room: number; readonly newlines: number; readonly unit: TextUnit },
): number {
  let { room, newlines } = limits;
  let at = start;
  while (at < source.length) {
    const codePoint = source.codePointAt(at) ?? 0;
    room -= costOf(codePoint, limits.unit);
    if (room < 0) return at;
    at += codePoint > 0xffff ? 2 : 1;
    if (codePoint === 0x0a && newlines-- <= 0) return at;
  }
  return at;
}

/** Created lazily: that takes some ten milliseconds, which a command that only reads a configuration should not spend. */
class Graphemes {
  #segmenter: Intl.Segmenter | undefined;

  /** The grapheme of `text` that contains its code unit `at`. */
  containing(text: string, at: number): Intl.SegmentData | undefined {
    this.#segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
    return this.#segmenter.segment(text).containing(at);
  }
}

const graphemes = new Graphemes();

/**
 * True if a text may be cut at `at`: the neighbours belong to different graphemes. Looks at the neighbours only; meant for positions after a space or a
 * punctuation mark.
 */
export function isGraphemeBoundary(source: string, at: number): boolean {
  if (at <= 0 || at >= source.length) return true;
  const before = at - (isLowSurrogate(source, at - 1) ? 2 : 1);
  const around = source.slice(Math.max(before, 0), at + 2);
  return graphemes.containing(around, at - Math.max(before, 0))?.index === at - Math.max(before, 0);
}

/**
 * The last position in `(after, until]` that splits no grapheme. If one grapheme fills it all, the last position between two code points; at least one code
 * point further.
 */
export function lastGraphemeBoundary(source: string, range: { readonly after: number; readonly until: number }): number {
  const { after, until } = range;
  if (until >= source.length) return source.length;
  const whole = wholeGraphemes(source, range);
  if (whole > after) return whole;
  const at = isLowSurrogate(source, until) ? until - 1 : until;
  return at > after ? at : after + ((source.codePointAt(after) ?? 0) > 0xffff ? 2 : 1);
}

/** The last position in `[after, until]` that splits no grapheme; `after` if the first grapheme is longer. */
export function wholeGraphemes(source: string, { after, until }: { readonly after: number; readonly until: number }): number {
  if (until >= source.length) return source.length;
  const window = source.slice(after, until + 2);
  return after + (graphemes.containing(window, until - after)?.index ?? until - after);
}

function isLowSurrogate(source: string, at: number): boolean {
  const unit = source.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 && source.charCodeAt(at - 1) >= 0xd800 && source.charCodeAt(at - 1) <= 0xdbff;
}

function costOf(codePoint: number, unit: TextUnit): number {
  switch (unit) {
    case "utf16":
      return codePoint > 0xffff ? 2 : 1;
    case "code-points":
      return 1;
    case "bytes":
      if (codePoint < 0x80) return 1;
      if (codePoint < 0x800) return 2;
      return codePoint > 0xffff ? 4 : 3;
  }
}
