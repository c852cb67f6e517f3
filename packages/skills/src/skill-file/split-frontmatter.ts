/** Splits a Markdown text into its frontmatter, if it begins with one, and the rest. */
export function splitFrontmatter(text: string): { readonly head?: string; readonly body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/.exec(text);
  return match === null ? { body: text } : { head: match[1] ?? "", body: text.slice(match[0].length) };
}
