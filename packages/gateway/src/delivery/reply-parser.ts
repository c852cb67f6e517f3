import { messageId } from "@factotum/channel-contract";
import type { MessageId } from "@factotum/channel-contract";

/** The message that a reply answers, on channels that can show it. */
export type ReplyTarget = { readonly type: "none" } | { readonly type: "current" } | { readonly type: "message"; readonly id: MessageId };

const SILENT_TOKENS: readonly string[] = ["NO_REPLY", "__SILENT__"];

/** A tag: a reply target, or a delivery option. */
const TAG = /\[\[[ \t]*(?:reply_to_current|reply_to[ \t]*:[ \t]*([^\]\s]*)|audio_as_voice|tts)[ \t]*\]\]/iy;
const BEGUN_TAG = /^\[(?:\[[ \t]*(?:[a-z_]*|reply_to[ \t]*:?[ \t]*[^\]\s]*)[ \t]*\]?)?$/i;
const MAX_TAG_CHARS = 300;

const FENCE_LINE = /^[^\S\n]*(?:>[^\S\n]*)*(`{3,}|~{3,})([^\n]*)\n?$/;
const BEGUN_FENCE = /^[^\S\n]*(?:>[^\S\n]*)*(?:`{0,2}|~{0,2}|`{3,}[^\n]*|~{3,}[^\n]*)$/;
const MAX_FENCE_CHARS = 1_000;

/** Where a paragraph ends, and with it inline code. */
const PARAGRAPH_END = /\n[^\S\n]*\n|\n[^\S\n]*(?:>[^\S\n]*)*(?:`{3}|~{3})/;
const MAX_CODE_CHARS = 1_000;
const MAX_MARK_CHARS = 100;

const MEDIA = "MEDIA:";
const MAX_MEDIA_CHARS = 4_096;
const WRAPPED = /^(?:(["'`*_~]).*\1|[<([{“‘«].*[>)\]}”’»])$/;

/**
 * Parses the text of one answer while it is written, in any chunks: returns the visible text, and collects its directives. The only place where reply tokens
 * are parsed (R5):
 *
 * - a silent token counts only as the whole message, in any case; nothing is returned until it is ruled out;
 * - a reply tag counts only as the first token; elsewhere outside of code it is dropped, as is every other tag;
 * - a `MEDIA:` line counts at the start of a line, outside of code, unwrapped and alone on its line; any other is text.
 *
 * The result does not depend on the chunking. Linear time; held-back text is bounded.
 */
export class ReplyParser {
  readonly #silent: readonly string[];
  /** Received and not parsed yet. */
  #rest = "";
  #isLineStart = true;
  /** The marker of the open code block. */
  #fence: string | undefined;
  /** Parsed and not returned: it could still be silence, or trailing whitespace. */
  #pending = "";
  #hasBegun = false;
  #hasToken = false;
  #replyTo: ReplyTarget = { type: "none" };
  #isSpoken = false;
  readonly #media: string[] = [];

  /** `unless`: further texts that are suppressed if they are the whole message. */
  constructor({ unless = [] }: { readonly unless?: readonly string[] } = {}) {
    this.#silent = unless;
  }

  /** The reply target, as far as it is known. */
  get replyTo(): ReplyTarget {
    return this.#replyTo;
  }

  /** True once `[[tts]]` was read outside of code: the answer is to be spoken. */
  get isSpoken(): boolean {
    return this.#isSpoken;
  }

  /** Paths and URLs of its `MEDIA:` lines, in order. */
  get media(): readonly string[] {
    return this.#media;
  }

  /** Parses a piece and returns the text that is certain to be visible. */
  push(piece: string): string {
    this.#rest += piece;
    this.#scan(false);
    return this.#release(false);
  }

  /** Returns the rest, once the answer is complete. */
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

  /** Parses the start of a line. Returns the characters consumed; `undefined` if more input is needed. */
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

  /** True if the line opens or closes a code block. */
  #takeFence(marker: string, info: string): boolean {
    if (this.#fence === undefined) {
      // Further backticks make it inline code.
      if (marker.startsWith("`") && info.includes("`")) return false;
      this.#fence = marker;
      return true;
    }
    if (info.trim() !== "" || !marker.startsWith(this.#fence.charAt(0)) || marker.length < this.#fence.length) return false;
    this.#fence = undefined;
    return true;
  }

  /** Parses the rest of a line. */
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
    if (/tts/i.test(tag[0]) && !/reply_to/i.test(tag[0])) this.#isSpoken = true;
    this.#hasToken = true;
    return tag[0].length;
  }

  /** Parses inline code: from a run of backticks to the next of the same length, within its paragraph. */
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
