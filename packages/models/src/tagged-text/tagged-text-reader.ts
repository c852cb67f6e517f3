import { CodeTracker } from "./code-tracker.ts";

/** A part of a text that a model wrote. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "thinking-end" }
  /** The content of a call's block. `closed` is false if the text ended inside it. */
  | { readonly type: "call"; readonly body: string; readonly closed: boolean };

/** The enabled tags; others are plain text. */
export interface TagChoice {
  readonly thinking: boolean;
  readonly calls: boolean;
}

type Tag = "thinking" | "thinking-end" | "call" | "call-end" | "result";

const THINKING_TAGS: readonly (readonly [string, Tag])[] = ["think", "thinking", "thought"].flatMap((name) => [
  [`<${name}>`, "thinking"] as const,
  [`</${name}>`, "thinking-end"] as const,
]);
const CALL_END = "</tool_call>";
const CALL_TAGS: readonly (readonly [string, Tag])[] = [
  ["<tool_call>", "call"],
  [CALL_END, "call-end"],
  ["<tool_result", "result"],
];

/**
 * Finds thinking and tool calls in a text that comes in chunks of any size; the result does not depend on the chunk boundaries.
 *
 * Inside code (fences, inline spans) a tag is text. White space around a block belongs to the block; a text without tags is unchanged. An unclosed thought
 * lasts to the end. A call ends at the first closing tag outside a JSON string; if there is none, at the first one there is. Text after a call that imitates
 * its result is dropped: the model made it up.
 */
export class TaggedTextReader {
  readonly #tags: readonly (readonly [string, Tag])[];
  readonly #code = new CodeTracker();
  #mode: "text" | "thinking" | "call" | "dropped" = "text";
  #pending = "";
  /** White space whose meaning depends on the next characters. */
  #space = "";
  #afterTag = false;
  #called = false;
  #call = newCall();

  constructor(choice: TagChoice) {
    this.#tags = [...(choice.thinking ? THINKING_TAGS : []), ...(choice.calls ? CALL_TAGS : [])];
  }

  /** Takes the next characters; returns the parts that are certain, in order. */
  read(text: string): readonly Piece[] {
    this.#pending += text;
    return this.#advance(false);
  }

  /** Returns the rest. The reader cannot be used again. */
  end(): readonly Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      pieces.push(...this.#advance(true));
      if (this.#mode !== "call") break;
      const end = this.#call.firstEnd;
      if (end === undefined) {
        pieces.push({ type: "call", body: this.#pending, closed: false });
        this.#pending = "";
        this.#mode = "dropped";
        break;
      }
      pieces.push(...this.#closeCall(end));
    }
    if (this.#mode === "thinking") pieces.push({ type: "thinking-end" });
    if (this.#mode === "text" && !this.#afterTag && this.#space !== "") pieces.push({ type: "text", text: this.#space });
    this.#space = "";
    return pieces;
  }

  #advance(final: boolean): Piece[] {
    const pieces: Piece[] = [];
    for (let before = -1; this.#pending.length !== before && this.#pending !== "";) {
      before = this.#pending.length;
      if (this.#mode === "text") pieces.push(...this.#readText(final));
      else if (this.#mode === "thinking") pieces.push(...this.#readThinking(final));
      else if (this.#mode === "call") {
        const end = this.#findCallEnd(final);
        if (end === undefined) break;
        pieces.push(...this.#closeCall(end));
      } else this.#pending = "";
    }
    return pieces;
  }

  #readText(final: boolean): Piece[] {
    for (let index = 0; index < this.#pending.length; index += 1) {
      const character = this.#pending.charAt(index);
      const tag = character === "<" ? this.#tagAt(index, final) : undefined;
      if (tag === "partial") return this.#take(index, "text");
      if (tag === undefined || !this.#means(tag.type)) {
        this.#code.see(character);
        continue;
      }
      const pieces = this.#take(index, "text");
      this.#pending = this.#pending.slice(tag.length);
      // A closing tag without an opening one is dropped, and nothing else.
      if (tag.type !== "thinking-end" && tag.type !== "call-end") this.#enter(tag.type);
      return pieces;
    }
    return this.#take(this.#pending.length, "text");
  }

  /** Inside code no tag counts; an imitated result can only follow a call. */
  #means(tag: Tag): boolean {
    return !this.#code.isInside() && (tag !== "result" || this.#called);
  }

  #readThinking(final: boolean): Piece[] {
    for (let index = this.#pending.indexOf("<"); index !== -1; index = this.#pending.indexOf("<", index + 1)) {
      const tag = this.#tagAt(index, final);
      if (tag === "partial") return this.#take(index, "thinking");
      if (tag?.type !== "thinking-end") continue;
      const pieces = this.#take(index, "thinking");
      this.#pending = this.#pending.slice(tag.length);
      this.#enter("thinking-end");
      return [...pieces, { type: "thinking-end" }];
    }
    return this.#take(this.#pending.length, "thinking");
  }

  #enter(tag: Tag): void {
    this.#space = "";
    this.#afterTag = true;
    this.#code.reset();
    this.#mode = tag === "thinking" ? "thinking" : tag === "call" ? "call" : tag === "result" ? "dropped" : "text";
    this.#call = newCall();
  }

  /** Takes characters off the front; trailing white space is held back, and white space after a tag is dropped. */
  #take(length: number, type: "text" | "thinking"): Piece[] {
    let taken = this.#space + this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    if (this.#afterTag) taken = taken.trimStart();
    const text = taken.trimEnd();
    this.#space = taken.slice(text.length);
    if (text === "") return [];
    this.#afterTag = false;
    return [{ type, text }];
  }

  #tagAt(index: number, final: boolean): { readonly type: Tag; readonly length: number } | "partial" | undefined {
    const rest = this.#pending.slice(index, index + LONGEST_TAG).toLowerCase();
    for (const [name, type] of this.#tags) if (rest.startsWith(name)) return { type, length: name.length };
    return !final && this.#tags.some(([name]) => name.startsWith(rest)) ? "partial" : undefined;
  }

  /** The position of the closing tag. Continues from the last position, and remembers a tag inside a string in case no other follows. */
  #findCallEnd(final: boolean): number | undefined {
    const call = this.#call;
    for (; call.scanned < this.#pending.length; call.scanned += 1) {
      const character = this.#pending.charAt(call.scanned);
      if (character === "<") {
        const rest = this.#pending.slice(call.scanned, call.scanned + CALL_END.length).toLowerCase();
        if (rest === CALL_END && !call.inString) return call.scanned;
        if (rest === CALL_END) call.firstEnd ??= call.scanned;
        else if (!final && CALL_END.startsWith(rest)) return undefined;
      }
      if (call.escaped) call.escaped = false;
      else if (character === "\\") call.escaped = call.inString;
      else if (character === '"') call.inString = !call.inString;
    }
    return undefined;
  }

  #closeCall(end: number): Piece[] {
    const body = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end + CALL_END.length);
    this.#called = true;
    this.#enter("call-end");
    return [{ type: "call", body, closed: true }];
  }
}

const LONGEST_TAG = 16;

function newCall(): { scanned: number; inString: boolean; escaped: boolean; firstEnd: number | undefined } {
  return { scanned: 0, inString: false, escaped: false, firstEnd: undefined };
}
