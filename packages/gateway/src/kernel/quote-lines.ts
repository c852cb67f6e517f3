import { stripVTControlCharacters } from "node:util";

const LINE_BREAKS = /\r\n|[\r\v\f\u0085\u2028\u2029]/gu;
const CONTROL = /[^\P{Cc}\t\n]/gu;

/** Text of others inside a text of the gateway: every line is marked, so that none can be taken for the gateway's own. */
export function quoteLines(text: string): string {
  const plain = stripVTControlCharacters(text).toWellFormed().replaceAll(LINE_BREAKS, "\n").replaceAll(CONTROL, "").trimEnd();
  return plain
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
}
