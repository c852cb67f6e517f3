/** Names of files as text, one per line, for clients that get no files. */
export function mediaWords(references: readonly string[]): string {
  return references.map((reference) => `📎 ${mediaName(reference)}`).join("\n");
}

/** The file name in a path or an address. */
export function mediaName(reference: string): string {
  const path = /^https?:\/\//i.test(reference) ? (reference.split(/[?#]/)[0] ?? reference).replace(/^https?:\/\/[^/]*/i, "") : reference;
  const name = path
    .split(/[/\\]/)
    .findLast((part) => part.trim() !== "")
    ?.trim();
  return name === undefined ? "file" : path === reference ? name : unescaped(name);
}

function unescaped(name: string): string {
  // A `%` that begins no escape stands for itself.
  return /^(?:[^%]|%[0-9a-f]{2})*$/i.test(name)
    ? Buffer.from(
        name.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
        "latin1",
      ).toString("utf8")
    : name;
}

/** The text that replaces a file that could not be sent. */
export function unsentFile(words: string): string {
  return `${words} (this file could not be sent)`;
}
