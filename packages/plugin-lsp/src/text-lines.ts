/** How a server counts the characters of a line. */
export type PositionEncoding = "utf-8" | "utf-16";

/** A place in a text: 0-based line, and 0-based count of UTF-16 code units in it. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** A text by its lines, which end in LF, CRLF or CR. Positions beyond a line are its end, lines beyond the text the end of the text. */
export class TextLines {
  readonly text: string;
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    const ends: number[] = [];
    for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
      ends.push(index);
      starts.push(index + end.length);
    }
    ends.push(text.length);
    [this.#starts, this.#ends] = [starts, ends];
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Without its end; empty beyond the text. */
  line(index: number): string {
    return this.text.slice(this.#starts[index] ?? this.text.length, this.#ends[index] ?? this.text.length);
  }

  offsetOf({ line, character }: Place): number {
    const start = this.#starts[line];
    return start === undefined ? this.text.length : Math.min(start + character, this.#ends[line] ?? this.text.length);
  }

  placeOf(offset: number): Place {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const start = this.#starts[low] ?? 0;
    return { line: low, character: Math.max(0, Math.min(offset, this.#ends[low] ?? offset) - start) };
  }

  /** A place as the server counts. */
  toServer({ line, character }: Place, encoding: PositionEncoding): Place {
    if (encoding === "utf-16") return { line, character };
    return { line, character: Buffer.byteLength(this.line(line).slice(0, character)) };
  }

  /** A place of the server. One inside of a character is at its beginning. */
  fromServer({ line, character }: Place, encoding: PositionEncoding): Place {
    const text = this.line(line);
    if (encoding === "utf-16") return { line, character: Math.min(character, text.length) };
    let bytes = 0;
    let units = 0;
    for (const one of text) {
      bytes += Buffer.byteLength(one);
      if (bytes > character) break;
      units += one.length;
    }
    return { line, character: units };
  }
}
