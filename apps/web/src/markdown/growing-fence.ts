import { CHUNK_LINES } from "./split-lines.ts";

/** A fence at the left edge; one in a list or a quote does not count. */
const OPENING = /^(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n/;

/** The line that opens a fence at the beginning of a text, if there is one. */
export function openingLine(text: string): string | undefined {
  return OPENING.exec(text)?.[0];
}

/** A block of code that is being written. Each line is looked at once, and lines that are complete are not touched again. */
export class GrowingFence {
  readonly #closing: RegExp;
  readonly #mayClose: RegExp;
  readonly #full: string[] = [];
  #last = "";
  #lastLines = 0;

  /** `opening` is the line that opens it. */
  constructor(opening: string) {
    const marker = /^(?:`+|~+)/.exec(opening)?.[0] ?? "```";
    const character = marker.charAt(0);
    this.#closing = new RegExp(`^ {0,3}${marker}${character}*[ \\t]*$`);
    this.#mayClose = new RegExp(`^ {0,3}${character}*[ \\t]*$`);
  }

  /** Takes lines of a text from `start` up to `end`, which both are ends of lines. Gives where it stopped, and whether that was behind the closing line. */
  takeLines(
    text: string,
    { start, end }: { readonly start: number; readonly end: number },
  ): { readonly position: number; readonly closed: boolean } {
    let position = start;
    while (position < end) {
      const lineEnd = text.indexOf("\n", position) + 1;
      const line = text.slice(position, lineEnd);
      position = lineEnd;
      if (this.#closing.test(line.slice(0, -1))) return { position, closed: true };
      this.#last += line;
      this.#lastLines += 1;
      if (this.#lastLines < CHUNK_LINES) continue;
      this.#full.push(this.#last);
      this.#last = "";
      this.#lastLines = 0;
    }
    return { position, closed: false };
  }

  /** The code so far, in chunks, with a line that is not complete yet. What may become the closing line is held back. */
  chunks(partialLine: string): readonly string[] {
    const last = this.#last + (this.#mayClose.test(partialLine) ? "" : partialLine);
    const chunks = last === "" && this.#full.length > 0 ? [...this.#full] : [...this.#full, last];
    // The last line end belongs to the fence.
    chunks.push((chunks.pop() ?? "").replace(/\n$/, ""));
    return chunks;
  }
}
