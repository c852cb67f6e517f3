const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/gu;
const CONTROL = /[^\P{Cc}\t\n]/gu;
/** Everything before the first visible character. */
const UNSEEN_START = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** How the lines begin that we write ourselves, in lower case. Any delimiter counts, also that of another turn. */
const OPENERS =
  /^(?:\[\s*[0-9a-f]{6}|\[\s*\/|inbound\s+context|system\s*:|\[\s*media\s+attached|\[\s*user\s+sent\s+media|\[\s*subagent|\[\s*plugin\s+context|\[\s*\[\s*bootstrap|\[\s*summary|thread\s+history\s+-)/u;

/**
 * Makes a platform's text safe to stand outside a block: a line that begins like one of ours gets a visible backslash, also when it hides
 * behind spaces, invisible characters or full-width forms. All line breaks become `\n`; other control characters go, tabs stay.
 * Reversible but for those: a line that already has backslashes there gets one more.
 */
export function escapeBody(text: string): string {
  return text.toWellFormed().replace(LINE_BREAKS, "\n").replace(CONTROL, "").split("\n").map(escapeLine).join("\n");
}

function escapeLine(line: string): string {
  const start = UNSEEN_START.exec(line)?.[0].length ?? 0;
  const rest = line.slice(start);
  const seen = rest
    .replace(UNSEEN, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^[\s\\]+/u, "");
  return OPENERS.test(seen) ? `${line.slice(0, start)}\\${rest}` : line;
}
