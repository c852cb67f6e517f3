/** One line of the protocol, parsed. */
export interface IrcLine {
  readonly tags: Readonly<Record<string, string>>;
  readonly source: string;
  readonly command: string;
  readonly params: readonly string[];
}

const UNESCAPED: Readonly<Record<string, string>> = { ":": ";", s: " ", r: "\r", n: "\n", "\\": "\\" };
const ESCAPED: Readonly<Record<string, string>> = { ";": "\\:", " ": "\\s", "\r": "\\r", "\n": "\\n", "\\": "\\\\" };

/** Parses a line without its line end. */
export function parseLine(text: string): IrcLine {
  let rest = text;
  const tags: Record<string, string> = {};
  if (rest.startsWith("@")) {
    const [head = "", ...more] = rest.split(" ");
    for (const tag of head.slice(1).split(";")) {
      const [key = "", ...value] = tag.split("=");
      if (key !== "") tags[key] = value.join("=").replace(/\\(.?)/g, (_, char: string) => UNESCAPED[char] ?? char);
    }
    rest = more.join(" ").trimStart();
  }
  const source = /^:(\S*) */.exec(rest);
  rest = rest.slice(source?.[0].length ?? 0);
  const trailing = rest.indexOf(" :");
  const middle = (trailing === -1 ? rest : rest.slice(0, trailing)).split(" ").filter((part) => part !== "");
  const [command = "", ...params] = middle;
  return {
    tags,
    source: source?.[1] ?? "",
    command: command.toUpperCase(),
    params: trailing === -1 ? params : [...params, rest.slice(trailing + 2)],
  };
}

/** The tags of a line with the space behind them; empty without tags. */
export function formatTags(tags: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(tags).flatMap(([key, value]) =>
    value === undefined ? [] : [value === "" ? key : `${key}=${value.replace(/[;\s\\]/g, (char) => ESCAPED[char] ?? char)}`],
  );
  return parts.length === 0 ? "" : `@${parts.join(";")} `;
}

/** Folds a name by the server's case mapping, rfc1459. */
export function foldName(name: string): string {
  return name.replace(/[A-Z[\]\\~]/g, (char) => String.fromCharCode(char === "~" ? 0x5e : char.charCodeAt(0) + 32));
}
