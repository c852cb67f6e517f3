import { ReplyParser } from "../reply-parser.ts";
import type { ReplyTarget } from "../reply-parser.ts";

/** The text of one answer while its blocks arrive, with the same offsets as in the complete answer. */
export class AnswerText {
  readonly #parser: ReplyParser;
  #visible = "";
  #hasText = false;
  /** Leading whitespace of the open block; `undefined` once it has text. */
  #blank: string | undefined = "";

  /** `unless`: texts that are suppressed if they are the whole answer. */
  constructor(options: { readonly unless: readonly string[] }) {
    this.#parser = new ReplyParser(options);
  }

  /** The text that is visible so far. */
  get visible(): string {
    return this.#visible;
  }

  get replyTo(): ReplyTarget {
    return this.#parser.replyTo;
  }

  get media(): readonly string[] {
    return this.#parser.media;
  }

  beginBlock(): void {
    this.#blank = "";
  }

  /** Adds a piece and returns newly visible text. */
  push(piece: string): string {
    let text = piece;
    if (this.#blank !== undefined) {
      text = this.#blank + piece;
      if (text.trim() === "") {
        this.#blank = text;
        return "";
      }
      this.#blank = undefined;
      // Blocks of one answer are separated by a blank line; empty ones are ignored.
      if (this.#hasText) text = `\n\n${text}`;
      this.#hasText = true;
    }
    return this.#add(this.#parser.push(text));
  }

  /** Returns the rest, once the answer is complete. */
  end(): string {
    return this.#add(this.#parser.end().text);
  }

  #add(shown: string): string {
    this.#visible += shown;
    return shown;
  }
}
