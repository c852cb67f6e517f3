/** One line of the server, parsed. */
export interface IrcLine {
  readonly command: string;
  readonly params: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** Empty for a line of the server itself. */
  readonly nick: string;
  readonly ident: string;
  readonly hostname: string;
  readonly prefix: string;
}

/** Characters that would begin another line, or end this one. */
const BREAKS = /[\r\n\0]/;

/** True if `text` can stand in a line. */
export function isOneLine(text: string): boolean {
  return !BREAKS.test(text);
}

/** True if `text` can be a parameter in the middle of a line. */
export function isParameter(text: string): boolean {
  return text !== "" && !text.startsWith(":") && !/[\s\0]/.test(text);
}

/**
 * Formats a command. `trailing` may contain spaces, the other parameters may not. Throws a RangeError for anything that would be another command, whatever its
 * source.
 */
export function formatLine(command: string, params: readonly string[], trailing?: string): string {
  if (!/^[A-Z]+$/.test(command) || !params.every(isParameter)) throw new RangeError(`a parameter of ${command} is not one`);
  if (trailing !== undefined && !isOneLine(trailing)) throw new RangeError(`the text of ${command} has a line break`);
  return [command, ...params, ...(trailing === undefined ? [] : [`:${trailing}`])].join(" ");
}
