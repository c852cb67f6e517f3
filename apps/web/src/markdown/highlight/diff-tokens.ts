import type { CodeToken, TokenKind } from "./code-token.ts";

/** True for the language names of diffs. */
export function isDiff(language: string | undefined): boolean {
  return language !== undefined && ["diff", "patch", "udiff"].includes(language.toLowerCase());
}

/** Splits a diff by lines: added, removed, and hunk headers. */
export function diffTokens(text: string): readonly CodeToken[] {
  return text.split(/(?<=\n)/).map((line) => ({ text: line, kind: kindOf(line) }));
}

function kindOf(line: string): TokenKind | undefined {
  if (/^(?:@@|diff |index |\+\+\+ |--- )/.test(line)) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
}
