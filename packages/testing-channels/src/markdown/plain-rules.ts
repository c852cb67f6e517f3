import { checkCharacters, type DialectRules } from "./dialect-rules.ts";

/** Text without markup, also that of a mail: no controls, no trace of the markup that was there, no invisible marks in addresses. */
export const PLAIN_TEXT: DialectRules = {
  name: "plain text",
  check(message) {
    checkCharacters(message);
    if (/\n{4}/.test(message.replaceAll(/[ \t]+\n/g, "\n")) && message.trim() === "") throw new Error("only empty lines");
    if (message.startsWith("\n") || message.endsWith("\n")) throw new Error("an empty line at the edge");
    if (/[\uE000\uE001]/.test(message)) throw new Error("a mark of a mention");
  },
  shown: (message) => message,
};

/** One line of IRC's text with formatting codes, as a server and a client take it. */
export const IRC_TEXT: DialectRules = {
  name: "IRC",
  check(message) {
    if (/[\r\n\0]/.test(message)) throw new Error("a line end or NUL");
    if (message.startsWith("\u0001")) throw new Error("a CTCP request");
    checkCharacters(message, "\u0002\u001d\u001e\u0011");
    if (IRC_TEXT.shown(message).trim() === "") throw new Error("nothing is shown");
    if (Buffer.byteLength(message) > MAX_IRC_BYTES) throw new Error(`more than ${MAX_IRC_BYTES} bytes`);
    checkToggles(message);
  },
  // oxlint-disable-next-line no-control-regex -- the codes of the dialect
  shown: (message) => message.replaceAll(/[\u0002\u001d\u001e\u0011]/g, ""),
};

/** A message of 512 bytes less its line end, command and the longest usual source and target. */
const MAX_IRC_BYTES = 400;

/** A code that is on at the end would be fine for a client, and hides that a style was cut. */
function checkToggles(message: string): void {
  for (const code of "\u0002\u001d\u001e\u0011")
    if ((message.split(code).length - 1) % 2 === 1) throw new Error(`the style ${JSON.stringify(code)} is left open`);
}
