import { createHash } from "node:crypto";

const MAX_CHARS = 64;
const SUFFIX_CHARS = 6;

/** How names of a kind are formed, and when two of them count as the same. */
interface NameKind {
  readonly separator: "_" | "__";
  readonly fold: (name: string) => string;
}

const TOOLS: NameKind = { separator: "_", fold: (name) => name.toLowerCase() };
/** Menus of some platforms know no hyphen, so a slash command may be typed with `_` in its place. */
const PROMPTS: NameKind = { separator: "__", fold: (name) => name.toLowerCase().replaceAll("_", "-") };

/**
 * The names that models know the tools of a server by, in the order of the tools: `mcp__<server>_<tool>`, `[A-Za-z0-9_-]`, at most 64 characters, unique among
 * themselves. A name that had to be changed, or that would occur twice, ends in a hash of the server's and the tool's names, so that it stays the same however
 * the list is ordered.
 */
export function toolNames(server: string, tools: readonly string[]): readonly string[] {
  return namesOf(server, tools, TOOLS);
}

/** The slash commands of the prompts of a server, without the slash: `mcp__<server>__<prompt>`, formed in the same way. */
export function promptNames(server: string, prompts: readonly string[]): readonly string[] {
  return namesOf(server, prompts, PROMPTS);
}

/** What all tools and prompts of a server begin with. */
export function namePrefix(server: string): string {
  return `mcp__${safe(server)}_`.slice(0, MAX_CHARS - SUFFIX_CHARS - 1);
}

function namesOf(server: string, names: readonly string[], { separator, fold }: NameKind): readonly string[] {
  const plain = names.map((name) => plainName(server, separator, safe(name)));
  const seen = new Map<string, number>();
  for (const name of plain) seen.set(fold(name), (seen.get(fold(name)) ?? 0) + 1);
  return names.map((own, index) => {
    const name = plain[index] ?? "";
    const isExact = name === plainName(server, separator, own) && isSafe(server) && name.length <= MAX_CHARS;
    return isExact && seen.get(fold(name)) === 1 ? name : withSuffix(name, server, own);
  });
}

function plainName(server: string, separator: NameKind["separator"], name: string): string {
  return `mcp__${safe(server)}${separator}${name}`;
}

function withSuffix(name: string, server: string, own: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([server, own]))
    .digest("hex")
    .slice(0, SUFFIX_CHARS);
  return `${name.slice(0, MAX_CHARS - SUFFIX_CHARS - 1)}_${hash}`;
}

function safe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function isSafe(text: string): boolean {
  return safe(text) === text;
}
