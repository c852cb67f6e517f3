import type { CodeToken, TokenKind } from "./code-token.ts";

/** True for the names under which differences are written. */
export function isDiff(language: string | undefined): boolean {
  return language !== undefined && ["diff", "patch", "udiff"].includes(language.toLowerCase());
}

/** A difference by its lines: what was added, what was removed, and where. */
export function diffTokens(text: string): readonly CodeToken[] {
  return text.split(/(?<=\n)/).map((line) => ({ text: line, kind: kindOf(line) }));
}

function kindOf(line: string): TokenKind | undefined {
  if (/^(?:@@|diff |index |\+\+\+ |--- )/.test(line)) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
}
