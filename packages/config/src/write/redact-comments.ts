import { REDACTED } from "../schema/secret.ts";
import { isSecretPath } from "../secrets/secret-keys.ts";

/** Where a comment may begin in a line. */
const COMMENT = /(?:^|\s)(?:#|\/\/|\/?\*)/;
/** A block comment that goes to another line. */
const BLOCK_START = /(?:^|\s)\/\*(?!.*\*\/)/;
/** A key with a quoted value: `apiKey: "…"`. */
const QUOTED_PAIR = /(?<![\w$-])(?<key>[\w$-]+)(?<between>["']?\s*[:=]\s*)(?<quote>["'])(?<value>(?:(?!\k<quote>)[^\\\n]|\\.)+)\k<quote>/g;
/** A key with a value that has no quotes: `apiKey: …`. Shorter values are ordinary words. */
const BARE_PAIR = /(?<![\w$-])(?<key>[\w$-]+)(?<between>\s*[:=]\s*)(?<value>[^\s"'{}[\],]{4,})/g;
/** A map whose every value may be a secret, such as `env: {`, or `env:` before the lines of its values. */
const SECRET_MAP = /(?<![\w$-])["']?(?:env|headers)["']?\s*[:=]\s*(?<open>\{|$)/;
/** A line of such a map in YAML. */
const MAP_LINE = /^(?<start>\W*[\w$-]+["']?\s*:\s+)(?<value>\S.*)$/;
/** The part before a closing brace that is in no quotes. */
const BEFORE_BRACE = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^}])*/;
const REFERENCE = /^\$\{\w+\}$/;

/** A map of secrets that has begun in a comment: `end` is its closing brace, or the indentation of its key. */
type OpenMap = { readonly type: "braced" } | { readonly type: "indented"; readonly indent: number };

/** The lines of a file without the secrets of comments: of keys that are secrets, and of all keys in `env` and `headers`. */
export function redactComments(lines: readonly string[]): readonly string[] {
  let map: OpenMap | undefined;
  let isBlock = false;
  return lines.map((line) => {
    const begins = BLOCK_START.test(line);
    const start = isBlock ? 0 : line.search(COMMENT);
    isBlock = isBlock ? !line.includes("*/") : begins;
    if (start === -1) {
      map = undefined;
      return line;
    }
    const comment = hidePairs(line.slice(start), (key) => isSecretPath([key]));
    const within = map === undefined ? undefined : inMap(comment, map);
    if (within !== undefined) {
      map = within.map;
      return line.slice(0, start) + within.text;
    }
    const opened = openMap(comment);
    map = opened.map;
    return line.slice(0, start) + opened.text;
  });
}

/** A line of a map; `undefined` if the map has ended before it. */
function inMap(comment: string, map: OpenMap): { readonly text: string; readonly map: OpenMap | undefined } | undefined {
  if (map.type === "braced") return hideInBraces(comment, map);
  if (indentOf(comment) <= map.indent) return undefined;
  const { start, value = "" } = MAP_LINE.exec(comment)?.groups ?? {};
  return { text: start === undefined || REFERENCE.test(value) ? comment : `${start}${REDACTED}`, map };
}

function openMap(comment: string): { readonly text: string; readonly map: OpenMap | undefined } {
  const found = SECRET_MAP.exec(comment);
  if (found === null) return { text: comment, map: undefined };
  const end = found.index + found[0].length;
  const rest = comment.slice(end);
  if (found.groups?.["open"] !== "{") return { text: comment, map: { type: "indented", indent: indentOf(comment) } };
  const { text, map } = hideInBraces(rest, { type: "braced" });
  return { text: comment.slice(0, end) + text, map };
}

/** Hides every value until the brace that closes the map; behind it the map has ended. */
function hideInBraces(text: string, map: OpenMap): { readonly text: string; readonly map: OpenMap | undefined } {
  const end = BEFORE_BRACE.exec(text)?.[0].length ?? 0;
  return { text: hidePairs(text.slice(0, end), () => true) + text.slice(end), map: end < text.length ? undefined : map };
}

function hidePairs(text: string, isHidden: (key: string) => boolean): string {
  return text
    .replaceAll(QUOTED_PAIR, (pair, key: string, between: string, quote: string, value: string) =>
      isHidden(key) && !REFERENCE.test(value) ? `${key}${between}${quote}${REDACTED}${quote}` : pair,
    )
    .replaceAll(BARE_PAIR, (pair, key: string, between: string) => (isHidden(key) ? `${key}${between}${REDACTED}` : pair));
}

/** Where the words of a comment begin. */
function indentOf(comment: string): number {
  return Math.max(0, comment.search(/[^\s#/*]/));
}
