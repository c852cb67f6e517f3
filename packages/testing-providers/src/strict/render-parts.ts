import { randomBytes } from "node:crypto";

/** Text in pieces of `size` characters (code points); none for empty text. */
export function piecesOf(text: string, size: number): string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}

/** One server-sent event; with a name when the format names its events. */
export function sseFrame(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** An id that is never the same twice, so that a history may outlive a server. */
export function freshId(prefix: string, bytes: number): string {
  return prefix + randomBytes(bytes).toString("hex");
}
