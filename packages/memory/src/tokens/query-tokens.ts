import { tokenize } from "./tokenize.ts";

/** More say nothing more, and cost time. */
const MAX_TOKENS = 64;

/** Words of questions that nearly every note has. */
const COMMON = new Set(
  (
    "a about all am an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it its me my no not of on or our " +
    "she so some than that the their them then there they this to us was we were what when where which who whom whose why will with would you your s t between ever long many much now often 的 了 是 在 吗 呢"
  ).split(" "),
);

/** Questions of Chinese: their characters and pairs would count as words that no note has. */
const QUESTIONS = /什么时候|为什么|怎么样|是不是|有没有|怎么|什么|多久|多少|几次|哪里|哪个|哪些|[吗呢谁]/gu;

/** The distinct tokens that a query asks for: without common words, unless it has no others. */
export function queryTokens(query: string): readonly string[] {
  const all = [...new Set(tokenize(query))];
  const telling = [...new Set(tokenize(query.replace(QUESTIONS, " ")))].filter((token) => !COMMON.has(token));
  return (telling.length > 0 ? telling : all).slice(0, MAX_TOKENS);
}

/** The FTS5 expression that matches a token. It is quoted, so that it is no operator. */
export function matchExpression(token: string): string {
  return `"${token.replaceAll('"', '""')}"`;
}
