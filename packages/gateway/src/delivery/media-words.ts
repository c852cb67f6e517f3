/** Files in words, one a line, for whoever gets no files: their names. */
export function mediaWords(references: readonly string[]): string {
  return references.map((reference) => `📎 ${mediaName(reference)}`).join("\n");
}

/** The name of a file that is named by a path or an address. */
function mediaName(reference: string): string {
  const path = /^https?:\/\//i.test(reference) ? (reference.split(/[?#]/)[0] ?? reference).replace(/^https?:\/\/[^/]*/i, "") : reference;
  const name = path.split(/[/\\]/).findLast((part) => part !== "");
  return name === undefined || name.trim() === "" ? "file" : name.trim();
}
