import { createHash } from "node:crypto";

const MAX_CHARS = 64;
const SUFFIX_CHARS = 6;

/**
 * The names that models know the tools of a server by, in the order of the tools: `mcp__<server>_<tool>`, `[A-Za-z0-9_-]`, at most 64 characters, unique among
 * themselves. A name that had to be changed, or that would occur twice, ends in a hash of the server's and the tool's names, so that it stays the same however
 * the list is ordered.
 */
export function toolNames(server: string, tools: readonly string[]): readonly string[] {
  const plain = tools.map((tool) => plainName(server, tool));
  const seen = new Map<string, number>();
  for (const name of plain) seen.set(name.toLowerCase(), (seen.get(name.toLowerCase()) ?? 0) + 1);
  return tools.map((tool, index) => {
    const name = plain[index] ?? "";
    const isExact = name === `${prefixOf(server)}${tool}` && isSafe(server) && name.length <= MAX_CHARS;
    return isExact && seen.get(name.toLowerCase()) === 1 ? name : withSuffix(name, server, tool);
  });
}

/** What all tools of a server begin with. */
function prefixOf(server: string): string {
  return `mcp__${safe(server)}_`;
}

function plainName(server: string, tool: string): string {
  return `${prefixOf(server)}${safe(tool)}`;
}

function withSuffix(name: string, server: string, tool: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
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
