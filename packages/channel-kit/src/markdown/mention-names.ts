import type { Piece } from "./piece.ts";

/** A character that joins `@name` to the word next to it, in scripts that put spaces between words. */
const WORD = String.raw`[[\p{L}\p{N}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]]`;

/**
 * Matches `@name` of one of `names` (the first group) where it is a word of its own: not in `mail@name.example`, `/@name` or `@names`. The longest name wins,
 * since one can begin with another. `undefined` without names.
 */
export function mentionPattern(names: readonly string[]): RegExp | undefined {
  const sorted = names.filter((name) => name.trim() !== "").toSorted((left, right) => right.length - left.length);
  if (sorted.length === 0) return undefined;
  const anyName = sorted.map((name) => RegExp.escape(name)).join("|");
  return new RegExp(String.raw`(?<!${WORD}|[@\/])@(${anyName})(?!${WORD}|[\-.@]${WORD})`, "gv");
}

/** Replaces `@name` of `names` by the result of `replacement`, as `mentionPattern` finds it outside code and addresses. */
export function replaceMentions(
  pieces: readonly Piece[],
  names: readonly string[],
  replacement: (name: string) => string,
): readonly Piece[] {
  const pattern = mentionPattern(names);
  if (pattern === undefined) return pieces;
  /** Of each open span, whether its content stays as it is. */
  const open: boolean[] = [];
  return pieces.map((piece) => {
    if (piece.type === "enter") open.push(isVerbatim(piece));
    if (piece.type === "exit") open.pop();
    if (piece.type !== "text" || open.includes(true)) return piece;
    return { ...piece, text: piece.text.replaceAll(pattern, (_, name: string) => replacement(name)) };
  });
}

function isVerbatim({ span }: Extract<Piece, { type: "enter" }>): boolean {
  return span.type === "code" || span.type === "code-block" || (span.type === "link" && span.bare !== undefined);
}
