const SILENT_TOKENS = ["NO_REPLY", "__SILENT__"];
const REPLY_TAG = /^\[\[\s*(?:reply_to_current|reply_to\s*:\s*[^\]\s]*|audio_as_voice)\s*\]\]\s*/i;
const MAX_TAG_CHARS = 200;

/**
 * Passes the text of one answer on while it streams, without what is not for people: leading tags, and silence as the whole message. Gives the same text
 * for every cutting of the same answer; blank space at both edges is dropped.
 */
export class VisibleText {
  #held = "";
  #begun = false;

  /** What can be shown for certain after this piece. */
  push(piece: string): string {
    this.#held += piece;
    if (!this.#begun && !this.#begin(false)) return "";
    const end = this.#held.trimEnd().length;
    const shown = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return shown;
  }

  /** The rest, once the answer is complete. */
  end(): string {
    if (!this.#begun && !this.#begin(true)) return "";
    const shown = this.#held.trimEnd();
    this.#held = "";
    return shown;
  }

  /** Drops tags at the front. True once it is certain that what is held is text. */
  #begin(complete: boolean): boolean {
    this.#held = this.#held.trimStart();
    for (let tag = REPLY_TAG.exec(this.#held); tag !== null; tag = REPLY_TAG.exec(this.#held))
      this.#held = this.#held.slice(tag[0].length).trimStart();
    if (this.#held === "") return false;
    const upper = this.#held.trimEnd().toUpperCase();
    if (complete) {
      if (SILENT_TOKENS.includes(upper)) {
        this.#held = "";
        return false;
      }
    } else if (this.#couldBeTag() || SILENT_TOKENS.some((token) => token.startsWith(upper))) return false;
    this.#begun = true;
    return true;
  }

  #couldBeTag(): boolean {
    if (this.#held === "[") return true;
    return this.#held.startsWith("[[") && !this.#held.includes("]]") && this.#held.length < MAX_TAG_CHARS;
  }
}
