import { CHUNK_LINES } from "./split-lines.ts";

/** A fence at the left edge; one in a list or a quote does not match. */
const OPENING = /^(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)\n/;

/** The opening line of a fence at the start of a text, if there is one. */
export function openingLine(text: string): string | undefined {
  return OPENING.exec(text)?.[0];
}

/** A block of code that is being written. Each line is scanned once, and complete lines are not touched again. */
export class GrowingFence {
  readonly #closing: RegExp;
  readonly #mayClose: RegExp;
  readonly #full: string[] = [];
  #last = "";
  #lastLines = 0;

  /** `opening`: the line that opens it. */
  constructor(opening: string) {
    const marker = /^(?:`+|~+)/.exec(opening)?.[0] ?? "```";
    const character = marker.charAt(0);
    this.#closing = new RegExp(`^ {0,3}${marker}${character}*[ \\t]*$`);
    this.#mayClose = new RegExp(`^ {0,3}${character}*[ \\t]*$`);
  }

  /** Scans lines of a text from `start` to `end`, both at line ends. Returns where it stopped, and whether that was after the closing line. */
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

  /** The code so far, in chunks, including an incomplete line. A possible closing line is held back. */
  chunks(partialLine: string): readonly string[] {
    const last = this.#last + (this.#mayClose.test(partialLine) ? "" : partialLine);
    const chunks = last === "" && this.#full.length > 0 ? [...this.#full] : [...this.#full, last];
    // The last line end belongs to the fence.
    chunks.push((chunks.pop() ?? "").replace(/\n$/, ""));
    return chunks;
  }
}
