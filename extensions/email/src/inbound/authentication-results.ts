/** One check that a receiving server made. */
export interface AuthenticationResult {
  /** Such as `dmarc`, `dkim` and `spf`. Lower case. */
  readonly method: string;
  /** Such as `pass`. Lower case. */
  readonly result: string;
  /** Such as `header.from`. Names are in lower case. */
  readonly properties: ReadonlyMap<string, string>;
}

/** A header Authentication-Results (RFC 8601). */
export interface AuthenticationResults {
  /** The server that made the checks, in lower case. */
  readonly authservId: string;
  readonly results: readonly AuthenticationResult[];
}

const MAX_LENGTH = 10_000;

/** Parses the value of a header; `undefined` for one that is not of this form. */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const text = withoutComments(value);
  if (text === undefined) return undefined;
  const [first = "", ...rest] = splitOutsideQuotes(text);
  const [, authservId] = /^([^\s;=]+)(?:\s+\d+)?$/.exec(first.trim()) ?? [];
  if (authservId === undefined) return undefined;
  return { authservId: authservId.replaceAll('"', "").toLowerCase(), results: rest.flatMap((part) => parseResult(part.trim()) ?? []) };
}

/** A property and its value: a quoted string, whose domain may follow it (`"a b"@example.org`), or a text without quotes. */
const PROPERTY = /\s*([\w-]+(?:\.[\w-]+)?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"(@[^\s;"]+)?|([^\s;"]+))(?=\s|$)/y;

/** A result with a part that is not exactly understood keeps none of its properties, and so proves nothing. */
function parseResult(text: string): AuthenticationResult | undefined {
  const [whole, method, result] = /^([\w-]+)(?:\s*\/\s*\d+)?\s*=\s*(\w+)(?=\s|$)/.exec(text) ?? [];
  if (whole === undefined || method === undefined || result === undefined) return undefined;
  return {
    method: method.toLowerCase(),
    result: result.toLowerCase(),
    properties: parseProperties(text.slice(whole.length)) ?? new Map<string, string>(),
  };
}

function parseProperties(text: string): ReadonlyMap<string, string> | undefined {
  const properties = new Map<string, string>();
  const expression = new RegExp(PROPERTY);
  while (text.slice(expression.lastIndex).trim() !== "") {
    const [, name = "", quoted, domain = "", plain] = expression.exec(text) ?? [];
    if (name === "") return undefined;
    if (!properties.has(name.toLowerCase()))
      properties.set(name.toLowerCase(), quoted === undefined ? (plain ?? "") : `${quoted}${domain}`);
  }
  return properties;
}

/** Comments can be nested and contain quoted signs. `undefined` if a comment or a quoted string has no end: it would hide what follows. */
function withoutComments(value: string): string | undefined {
  let depth = 0;
  let isQuoted = false;
  let text = "";
  for (let at = 0; at < value.length; at += 1) {
    const sign = value[at] ?? "";
    if (sign === "\\") {
      if (depth === 0) text += value.slice(at, at + 2);
      at += 1;
    } else if (sign === '"' && depth === 0) {
      isQuoted = !isQuoted;
      text += sign;
    } else if (!isQuoted && sign === "(") {
      depth += 1;
    } else if (!isQuoted && sign === ")" && depth > 0) {
      depth -= 1;
      text += " ";
    } else if (depth === 0) {
      text += sign;
    }
  }
  return depth > 0 || isQuoted ? undefined : text;
}

function splitOutsideQuotes(value: string): readonly string[] {
  return value.match(/(?:"(?:[^"\\]|\\.)*"|[^";])+/g) ?? [];
}
