import { ReplyParser } from "../reply-parser.ts";
import type { ReplyTarget } from "../reply-parser.ts";

/** The text of one answer while its blocks come: the same characters, and so the same offsets, as the whole answer has. */
export class AnswerText {
  readonly #parser: ReplyParser;
  #visible = "";
  #hasText = false;
  /** Blank space with which the open block began; `undefined` once it has words. */
  #blank: string | undefined = "";

  /** `unless`: texts that, as the whole answer, are not for the chat. */
  constructor(options: { readonly unless: readonly string[] }) {
    this.#parser = new ReplyParser(options);
  }

  /** What a person may see of it so far. */
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

  /** Gives what can be seen since. */
  push(piece: string): string {
    let text = piece;
    if (this.#blank !== undefined) {
      text = this.#blank + piece;
      if (text.trim() === "") {
        this.#blank = text;
        return "";
      }
      this.#blank = undefined;
      // Blocks of one answer stand apart; those without words are none.
      if (this.#hasText) text = `\n\n${text}`;
      this.#hasText = true;
    }
    return this.#add(this.#parser.push(text));
  }

  /** The rest, once the answer is complete. */
  end(): string {
    return this.#add(this.#parser.end().text);
  }

  #add(shown: string): string {
    this.#visible += shown;
    return shown;
  }
}
