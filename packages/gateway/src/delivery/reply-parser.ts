import { messageId } from "@factotum/channel-contract";
import type { MessageId } from "@factotum/channel-contract";

/** Which message a reply answers, on channels that can show it. */
export type ReplyTarget = { readonly type: "none" } | { readonly type: "current" } | { readonly type: "message"; readonly id: MessageId };

const SILENT_TOKENS: readonly string[] = ["NO_REPLY", "__SILENT__"];

/** A tag: what to answer, or how to say it. */
const TAG = /\[\[[ \t]*(?:reply_to_current|reply_to[ \t]*:[ \t]*([^\]\s]*)|audio_as_voice)[ \t]*\]\]/iy;
const BEGUN_TAG = /^\[(?:\[[ \t]*(?:[a-z_]*|reply_to[ \t]*:?[ \t]*[^\]\s]*)[ \t]*\]?)?$/i;
const MAX_TAG_CHARS = 300;

const FENCE_LINE = /^[^\S\n]*(?:>[^\S\n]*)*(`{3,}|~{3,})([^\n]*)\n?$/;
const BEGUN_FENCE = /^[^\S\n]*(?:>[^\S\n]*)*(?:`{0,2}|~{0,2}|`{3,}[^\n]*|~{3,}[^\n]*)$/;
const MAX_FENCE_CHARS = 1_000;

/** Where a paragraph ends, and inline code with it. */
const PARAGRAPH_END = /\n[^\S\n]*\n|\n[^\S\n]*(?:>[^\S\n]*)*(?:`{3}|~{3})/;
const MAX_CODE_CHARS = 1_000;
const MAX_MARK_CHARS = 100;

const MEDIA = "MEDIA:";
const MAX_MEDIA_CHARS = 4_096;
const WRAPPED = /^(?:(["'`*_~]).*\1|[<([{“‘«].*[>)\]}”’»])$/;

/**
 * Reads the text of one answer while it is written, in whatever pieces it comes: gives what a person may see, and keeps what it asks for. The one place
 * where the tokens of a reply are parsed (R5):
 *
 * - a silent token counts as the whole message, in any case; until it is certain that it is none, nothing is given out;
 * - a reply tag counts as the first token; elsewhere outside of code it is dropped, and so is every other tag;
 * - a `MEDIA:` line counts at the start of a line, outside of code, unwrapped and alone on its line; any other is text.
 *
 * The same answer gives the same text for every cutting. Linear; what is held back is bounded.
 */
export class ReplyParser {
  readonly #silent: readonly string[];
  /** What has come and is not decided. */
  #rest = "";
  #isLineStart = true;
  /** The marker of the code block that is open. */
  #fence: string | undefined;
  /** Decided, and not given out: it could still be silence, or blank space at the end. */
  #pending = "";
  #hasBegun = false;
  #hasToken = false;
  #replyTo: ReplyTarget = { type: "none" };
  readonly #media: string[] = [];

  /** `unless`: further texts that, as the whole message, are not for the chat. */
  constructor({ unless = [] }: { readonly unless?: readonly string[] } = {}) {
    this.#silent = unless;
  }

  /** What the answer is a reply to, as far as it is known. */
  get replyTo(): ReplyTarget {
    return this.#replyTo;
  }

  /** What its `MEDIA:` lines name, in their order. */
  get media(): readonly string[] {
    return this.#media;
  }

  /** What can be shown for certain after this piece. */
  push(piece: string): string {
    this.#rest += piece;
    this.#scan(false);
    return this.#release(false);
  }

  /** The rest, once the answer is complete. */
  end(): { readonly text: string; readonly isSilent: boolean } {
    this.#scan(true);
    const text = this.#release(true);
    return { text, isSilent: !this.#hasBegun && this.#pending !== "" };
  }

  #release(isComplete: boolean): string {
    if (!this.#hasBegun) {
      this.#pending = this.#pending.trimStart();
      const soFar = this.#pending.trimEnd();
      if (soFar === "" || this.#couldBeSilence(soFar, isComplete)) return "";
      this.#hasBegun = true;
    }
    const end = this.#pending.trimEnd().length;
    const shown = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return shown;
  }

  #couldBeSilence(soFar: string, isComplete: boolean): boolean {
    const upper = soFar.toUpperCase();
    if (isComplete) return SILENT_TOKENS.includes(upper) || this.#silent.includes(soFar);
    return SILENT_TOKENS.some((token) => token.startsWith(upper)) || this.#silent.some((text) => text.startsWith(soFar));
  }

  #emit(text: string): void {
    if (!this.#hasToken && text.trim() !== "") this.#hasToken = true;
    this.#pending += text;
  }

  #scan(isComplete: boolean): void {
    let text = this.#rest;
    while (text !== "") {
      const taken = this.#isLineStart ? this.#takeLine(text, isComplete) : this.#takeText(text, isComplete);
      if (taken === undefined) break;
      text = text.slice(taken);
    }
    this.#rest = text;
  }

  /** Decides how a line begins. Gives how much of it is done, `undefined` when more must come first. */
  #takeLine(text: string, isComplete: boolean): number | undefined {
    const newline = text.indexOf("\n");
    const line = newline === -1 ? text : text.slice(0, newline + 1);
    const isWhole = newline !== -1 || isComplete;
    if (line.length <= MAX_FENCE_CHARS) {
      if (!isWhole && BEGUN_FENCE.test(line)) return undefined;
      const [, marker = "", info = ""] = FENCE_LINE.exec(line) ?? [];
      if (isWhole && marker !== "" && this.#takeFence(marker, info)) {
        this.#emit(line);
        return line.length;
      }
    }
    if (this.#fence === undefined && line.length <= MAX_MEDIA_CHARS) {
      if (!isWhole && (line.startsWith(MEDIA) || MEDIA.startsWith(line))) return undefined;
      const named = line.startsWith(MEDIA) ? line.slice(MEDIA.length).trim() : "";
      if (named !== "" && isPlain(named)) {
        this.#media.push(named);
        this.#hasToken = true;
        return line.length;
      }
    }
    this.#isLineStart = false;
    return 0;
  }

  /** True when the line opens or closes a code block. */
  #takeFence(marker: string, info: string): boolean {
    if (this.#fence === undefined) {
      // Backticks behind it make it inline code.
      if (marker.startsWith("`") && info.includes("`")) return false;
      this.#fence = marker;
      return true;
    }
    if (info.trim() !== "" || !marker.startsWith(this.#fence.charAt(0)) || marker.length < this.#fence.length) return false;
    this.#fence = undefined;
    return true;
  }

  /** Takes what follows within a line. */
  #takeText(text: string, isComplete: boolean): number | undefined {
    const special = this.#fence === undefined ? text.search(/[\n[`]/) : text.indexOf("\n");
    if (special !== 0) {
      this.#emit(special === -1 ? text : text.slice(0, special));
      return special === -1 ? text.length : special;
    }
    switch (text.charAt(0)) {
      case "[":
        return this.#takeTag(text, isComplete);
      case "`":
        return this.#takeCode(text, isComplete);
      default:
        this.#emit("\n");
        this.#isLineStart = true;
        return 1;
    }
  }

  #takeTag(text: string, isComplete: boolean): number | undefined {
    TAG.lastIndex = 0;
    const tag = TAG.exec(text);
    if (tag === null || tag[0].length > MAX_TAG_CHARS) {
      if (!isComplete && text.length <= MAX_TAG_CHARS && BEGUN_TAG.test(text)) return undefined;
      this.#emit("[");
      return 1;
    }
    if (!this.#hasToken && /reply_to/i.test(tag[0])) this.#replyTo = replyTarget(tag[1]);
    this.#hasToken = true;
    return tag[0].length;
  }

  /** Inline code: from a run of backticks to the next one of its length, within its paragraph. */
  #takeCode(text: string, isComplete: boolean): number | undefined {
    const mark = /^`{1,100}/.exec(text)?.[0] ?? "`";
    if (mark.length === MAX_MARK_CHARS) {
      this.#emit(mark);
      return mark.length;
    }
    if (mark.length === text.length && !isComplete) return undefined;
    const area = text.slice(mark.length, mark.length + MAX_CODE_CHARS);
    const isCut = area.length === MAX_CODE_CHARS;
    const stop = area.search(PARAGRAPH_END);
    const scope = stop === -1 ? area : area.slice(0, stop);
    for (const run of scope.matchAll(/`+/g)) {
      const end = run.index + run[0].length;
      const mayGrow = end === area.length && (isCut || !isComplete);
      if (run[0].length !== mark.length || mayGrow) continue;
      this.#emit(text.slice(0, mark.length + end));
      return mark.length + end;
    }
    if (!isComplete && stop === -1 && !isCut) return undefined;
    this.#emit(mark);
    return mark.length;
  }
}

function isPlain(named: string): boolean {
  return !named.includes(MEDIA) && !named.includes("`") && !WRAPPED.test(named) && !/\p{Cc}/u.test(named);
}

function replyTarget(id: string | undefined): ReplyTarget {
  if (id === undefined) return { type: "current" };
  return id === "" ? { type: "none" } : { type: "message", id: messageId(id) };
}
