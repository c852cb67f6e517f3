import type { Buffer } from "node:buffer";

const NEWLINE = 0x0a;

/** Part of a text file, by lines. */
export type TextWindow =
  | {
      readonly type: "window";
      readonly text: string;
      /** 1-based, inclusive. */
      readonly firstLine: number;
      readonly lastLine: number;
      /** True if `lastLine` itself is too long to fit. */
      readonly lineCut: boolean;
      /** Bytes from the file's start to the end of `text`; exact unless the text was cut to `maxChars`. */
      readonly endByte: number;
    }
  | { readonly type: "past-end"; readonly lineCount: number };

/**
 * Takes at most `maxLines` lines from line `firstLine` on, and at most `maxChars` characters: whole lines, except if the first is already too long. Holds one
 * chunk and the window, regardless of the size of the file.
 */
export async function readWindow(
  chunks: AsyncIterable<Buffer>,
  options: { readonly firstLine: number; readonly maxLines: number; readonly maxChars: number },
): Promise<TextWindow> {
  const { firstLine, maxLines, maxChars } = options;
  const decoder = new TextDecoder();
  let line = 1;
  let startByte = 0;
  let takenBytes = 0;
  let takenLines = 0;
  let text = "";
  let lastByte: number | undefined;
  for await (const chunk of chunks) {
    let at = 0;
    while (line < firstLine) {
      const newline = chunk.indexOf(NEWLINE, at);
      if (newline === -1) break;
      at = newline + 1;
      line += 1;
    }
    lastByte = chunk.at(-1);
    if (line < firstLine) {
      startByte += chunk.length;
      continue;
    }
    startByte += at;
    let end = at;
    while (takenLines < maxLines && end < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, end);
      end = newline === -1 ? chunk.length : newline + 1;
      if (newline !== -1) takenLines += 1;
    }
    takenBytes += end - at;
    text += decoder.decode(chunk.subarray(at, end), { stream: true });
    if (takenLines === maxLines || text.length > maxChars) break;
  }
  text += decoder.decode();
  if (text === "") return { type: "past-end", lineCount: lastByte === NEWLINE ? line - 1 : line };
  const shown = fit(text, maxChars);
  const lineCount = countLines(shown);
  return {
    type: "window",
    text: shown,
    firstLine,
    lastLine: firstLine + lineCount - 1,
    lineCut: shown.length < text.length && !shown.endsWith("\n"),
    endByte: startByte + (shown === text ? takenBytes : new TextEncoder().encode(shown).length),
  };
}

function fit(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const newline = text.lastIndexOf("\n", maxChars - 1);
  if (newline !== -1) return text.slice(0, newline + 1);
  const cut = text.slice(0, maxChars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function countLines(text: string): number {
  const newlines = text.split("\n").length - 1;
  return text.endsWith("\n") ? newlines : newlines + 1;
}
