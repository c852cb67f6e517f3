import { tokenize } from "./tokenize.ts";

/** More say nothing more, and cost time. */
const MAX_TOKENS = 64;

/** Words of questions that nearly every note has. */
const COMMON = new Set(
  (
    "a about all am an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it its me my no not of on or our " +
    "she so some than that the their them then there they this to us was we were what when where which who whom whose why will with would you your s t 的 了 是 在 吗 呢"
  ).split(" "),
);

/** The distinct tokens that a query asks for: without common words, unless it has no others. */
export function queryTokens(query: string): readonly string[] {
  const all = [...new Set(tokenize(query))];
  const telling = all.filter((token) => !COMMON.has(token));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TOKENS);
}

/** The FTS5 expression that matches any of the tokens. Each is quoted, so that none is an operator. */
export function matchExpression(tokens: readonly string[]): string {
  return tokens.map((token) => `"${token.replaceAll('"', '""')}"`).join(" OR ");
}
