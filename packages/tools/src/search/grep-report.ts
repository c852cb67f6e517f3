/** Visible part of a line. */
const MAX_SHOWN_CHARS = 300;

/** Collects matching lines with their context, as `path:12: text`, context lines as `path-11- text`, up to a limit. */
export class GrepReport {
  readonly #lines: string[] = [];
  readonly #maxMatches: number;
  readonly #maxChars: number;
  #chars = 0;
  matches = 0;
  files = 0;

  constructor(options: { readonly maxMatches: number; readonly maxChars: number }) {
    this.#maxMatches = options.maxMatches;
    this.#maxChars = options.maxChars;
  }

  /** True once the limit is reached. */
  get full(): boolean {
    return this.matches >= this.#maxMatches || this.#chars >= this.#maxChars;
  }

  add(kind: "match" | "context" | "gap", path = "", line = 0, text = ""): void {
    const mark = kind === "match" ? ":" : "-";
    const shown = text.length > MAX_SHOWN_CHARS ? `${wellFormed(text.slice(0, MAX_SHOWN_CHARS))}…` : text;
    const out = kind === "gap" ? "--" : `${path}${mark}${line}${mark} ${shown}`;
    if (this.#chars + out.length + 1 > this.#maxChars) {
      this.#chars = this.#maxChars;
      return;
    }
    this.#chars += out.length + 1;
    if (kind === "match") this.matches += 1;
    this.#lines.push(out);
  }

  toString(): string {
    return this.#lines.map((line) => `${line}\n`).join("");
  }
}

function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.slice(0, -1);
}
