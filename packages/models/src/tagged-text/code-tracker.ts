/**
 * Tracks, character by character, whether Markdown text is inside code: a fenced block, or an inline span, which ends with its line at the latest. Follows
 * CommonMark as far as possible without lookahead.
 */
export class CodeTracker {
  #fence: { readonly mark: string; readonly length: number } | undefined;
  /** Backticks that opened an inline span on this line. */
  #span = 0;
  /** The current run of one fence character. */
  #run = { mark: "", length: 0, leads: false };
  #indent = 0;
  #atStart = true;
  /** False as soon as the line of a closing fence has anything but its marks. */
  #closing = false;
  #openedHere = false;

  /** Whether the next character would be in code, if it is not part of a fence. */
  isInside(): boolean {
    this.#endRun();
    return this.#fence !== undefined || this.#span > 0;
  }

  see(character: string): void {
    if (character === "\n") {
      this.#endRun();
      if (this.#closing) this.#fence = undefined;
      this.#startLine();
      return;
    }
    if (character === "`" || (character === "~" && (this.#atStart || this.#run.mark === "~"))) {
      if (this.#run.mark !== character) this.#endRun();
      this.#run = { mark: character, length: this.#run.length + 1, leads: this.#run.length === 0 ? this.#atStart : this.#run.leads };
      this.#atStart = false;
      return;
    }
    this.#endRun();
    if (character === " " && this.#atStart && this.#indent < 3) {
      this.#indent += 1;
      return;
    }
    this.#atStart = false;
    if (this.#closing && character.trim() !== "") this.#closing = false;
  }

  /** Resets to the start of a text. */
  reset(): void {
    this.#fence = undefined;
    this.#run = { mark: "", length: 0, leads: false };
    this.#startLine();
  }

  #startLine(): void {
    this.#span = 0;
    this.#indent = 0;
    this.#atStart = true;
    this.#closing = false;
    this.#openedHere = false;
  }

  #endRun(): void {
    const { mark, length, leads } = this.#run;
    this.#run = { mark: "", length: 0, leads: false };
    if (length === 0) return;
    if (this.#fence === undefined) {
      if (leads && length >= 3) {
        this.#fence = { mark, length };
        this.#openedHere = true;
      } else if (mark === "`") {
        this.#span = this.#span === 0 ? length : this.#span === length ? 0 : this.#span;
      }
      return;
    }
    // Backticks after an opening fence on its own line: it was an inline span.
    if (this.#openedHere && mark === "`" && this.#fence.mark === "`") {
      this.#span = this.#fence.length === length ? 0 : this.#fence.length;
      this.#fence = undefined;
    } else if (leads && mark === this.#fence.mark && length >= this.#fence.length) {
      this.#closing = true;
    }
  }
}
