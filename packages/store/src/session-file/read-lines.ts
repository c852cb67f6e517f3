/** Characters of one line; an inline image of 20 MB fits. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

/** One line of a file, without its line break. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  /** Undefined if the line is longer than any record can be. */
  readonly text: string | undefined;
  /** False for a last line without a line break: its writer may have been stopped in the middle. */
  readonly isComplete: boolean;
}

/** A source of session file bytes. */
export type SessionFileSource = string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Splits a source into lines, one at a time, for any chunk sizes. Invalid UTF-8 becomes replacement characters. */
export async function* readLines(source: SessionFileSource): AsyncIterable<FileLine> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let number = 0;
  const take = (isComplete: boolean): FileLine => {
    number += 1;
    const text = length > MAX_LINE_CHARS ? undefined : pieces.join("");
    pieces = [];
    length = 0;
    return { number, text, isComplete };
  };
  const add = (piece: string): void => {
    length += piece.length;
    if (length > MAX_LINE_CHARS) pieces = [];
    else pieces.push(piece);
  };
  for await (const chunk of typeof source === "string" ? [source] : source) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
      add(text.slice(from, to));
      yield take(true);
      from = to + 1;
    }
    add(text.slice(from));
  }
  add(decoder.decode());
  if (length > 0) yield take(false);
}
