import type { TelegramEntity } from "./parse-html.ts";
import { badRequest } from "./refusal.ts";

/** Delimiters of styles, the longer ones first. */
const STYLES: readonly (readonly [string, string])[] = [
  ["||", "spoiler"],
  ["__", "underline"],
  ["*", "bold"],
  ["_", "italic"],
  ["~", "strikethrough"],
];
const RESERVED = new Set("_*[]()~`>#+-=|{}.!");

interface OpenStyle {
  readonly delimiter: string;
  readonly type: string;
  readonly offset: number;
}

/** The text that the platform's MarkdownV2 shows, with its styles. Refuses what the platform refuses: a reserved character without a backslash, an open style. */
export function parseTelegramMarkdownV2(source: string): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #entities: TelegramEntity[] = [];
  readonly #open: OpenStyle[] = [];
  #at = 0;
  #text = "";
  #quoteFrom: number | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
    while (this.#at < this.#source.length) this.#take();
    this.#endQuote();
    const unclosed = this.#open.at(-1);
    if (unclosed !== undefined) throw this.#cannot(`Can't find end of ${unclosed.type} entity`);
    return { text: this.#text, entities: this.#entities };
  }

  #take(): void {
    const character = this.#source[this.#at] ?? "";
    const isLineStart = this.#at === 0 || this.#source[this.#at - 1] === "\n";
    if (isLineStart && character !== ">") this.#endQuote();
    if (isLineStart && character === ">") {
      this.#quoteFrom ??= this.#text.length;
      this.#at += 1;
    } else if (character === "\\" && isEscapable(this.#source.charCodeAt(this.#at + 1))) {
      this.#text += this.#source[this.#at + 1];
      this.#at += 2;
    } else if (this.#source.startsWith("```", this.#at)) this.#takePre();
    else if (character === "`") this.#takeCode();
    else if (character === "[") this.#open.push({ delimiter: this.#pass("["), type: "text_link", offset: this.#text.length });
    else if (character === "]" && this.#open.at(-1)?.type === "text_link") this.#endLink();
    else if (!this.#takeStyle()) {
      if (RESERVED.has(character)) {
        throw this.#cannot(`Character '${character}' is reserved and must be escaped with the preceding '\\'`);
      }
      this.#text += character;
      this.#at += 1;
    }
  }

  #takeStyle(): boolean {
    const style = STYLES.find(([delimiter]) => this.#source.startsWith(delimiter, this.#at));
    if (style === undefined) return false;
    const [delimiter, type] = style;
    this.#at += delimiter.length;
    if (this.#open.at(-1)?.delimiter === delimiter) this.#close(type);
    else this.#open.push({ delimiter, type, offset: this.#text.length });
    return true;
  }

  #takePre(): void {
    const language = /^[^\n\s`]*(?=\n)/.exec(this.#source.slice(this.#at + 3))?.[0] ?? "";
    const offset = this.#text.length;
    this.#at += 3 + language.length;
    if (this.#source[this.#at] === "\n") this.#at += 1;
    this.#takeVerbatim("```", "pre");
    if (this.#text.endsWith("\n")) this.#text = this.#text.slice(0, -1);
    this.#add({ type: "pre", offset, ...(language !== "" && { language }) });
  }

  #takeCode(): void {
    const offset = this.#text.length;
    this.#at += 1;
    this.#takeVerbatim("`", "code");
    this.#add({ type: "code", offset });
  }

  #takeVerbatim(end: string, type: string): void {
    while (!this.#source.startsWith(end, this.#at)) {
      if (this.#at >= this.#source.length) throw this.#cannot(`Can't find end of ${type} entity`);
      if (this.#source[this.#at] === "\\") this.#at += 1;
      this.#text += this.#source[this.#at] ?? "";
      this.#at += 1;
    }
    this.#at += end.length;
  }

  #endLink(): void {
    const [whole, url = ""] = /^\]\(((?:\\.|[^\\)])*)\)/s.exec(this.#source.slice(this.#at)) ?? [];
    if (whole === undefined) throw this.#cannot("Character ']' is reserved and must be escaped with the preceding '\\'");
    this.#at += whole.length;
    this.#close("text_link", { url: url.replaceAll(/\\(.)/gs, "$1") });
  }

  #close(type: string, more: { readonly url?: string } = {}): void {
    this.#add({ type, offset: this.#open.pop()?.offset ?? 0, ...more });
  }

  #endQuote(): void {
    if (this.#quoteFrom === undefined) return;
    const offset = this.#quoteFrom;
    this.#quoteFrom = undefined;
    this.#add({ type: "blockquote", offset });
  }

  #add(entity: Omit<TelegramEntity, "length">): void {
    const length = this.#text.length - entity.offset;
    if (length > 0) this.#entities.push({ ...entity, length });
  }

  #pass(text: string): string {
    this.#at += text.length;
    return text;
  }

  #cannot(what: string): Error {
    return badRequest(`can't parse entities: ${what} at byte offset ${Buffer.byteLength(this.#source.slice(0, this.#at))}`);
  }
}

function isEscapable(code: number): boolean {
  return code >= 1 && code <= 126;
}
