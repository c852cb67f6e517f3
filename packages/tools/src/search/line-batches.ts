import type { Buffer } from "node:buffer";

/** Searched part of a line; the rest of a longer one is skipped. */
const MAX_LINE_CHARS = 20_000;

/** Splits a file into lines, one batch per chunk, without their line ends. Holds one chunk and one line at most. */
export async function* lineBatches(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let open = "";
  const toLine = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text).slice(0, MAX_LINE_CHARS);
  for await (const chunk of chunks) {
    const lines = (open + decoder.decode(chunk, { stream: true })).split("\n");
    open = (lines.pop() ?? "").slice(0, MAX_LINE_CHARS);
    if (lines.length > 0) yield lines.map(toLine);
  }
  open += decoder.decode();
  if (open !== "") yield [toLine(open)];
}
