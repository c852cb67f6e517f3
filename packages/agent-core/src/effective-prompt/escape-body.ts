const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/gu;
const CONTROL = /[^\P{Cc}\t\n]/gu;
/** Everything before the first visible character. */
const UNSEEN_START = /^[\s\p{Cf}\p{Default_Ignorable_Code_Point}]*/u;
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/** The beginnings of lines that only the gateway writes, in lower case. Includes any delimiter, also of other turns. */
const OPENERS =
  /^(?:\[\s*[0-9a-f]{6}|\[\s*\/|inbound\s+context|system\s*:|\[\s*media\s+attached|\[\s*user\s+sent\s+media|\[\s*subagent|\[\s*plugin\s+context|\[\s*\[\s*bootstrap|\[\s*summary|thread\s+history\s+-)/u;

/**
 * Escapes a platform's text for use outside a block: a line that begins like one of the gateway's gets a visible backslash, even if it is hidden behind spaces,
 * invisible characters or full-width forms. All line breaks become `\n`; other control characters are removed, tabs stay. Otherwise reversible: a line that
 * already starts with backslashes gets one more.
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
