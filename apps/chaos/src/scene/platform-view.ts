import type { FakeFeishu, FeishuSentMessage } from "@factotum/testing-channels";
import type { ObservedSend } from "@factotum/testing-chaos";
import { MARK, PARTS, readParts } from "./obedient-model.ts";

/** The meaning of a visible message. */
type Seen =
  | { readonly type: "parts"; readonly about: string | undefined; readonly parts: readonly number[] }
  /** It names no message: its subject is the message that it replies to. */
  | { readonly type: "notice"; readonly about: string | undefined }
  /** A notice that a message waits; the answer is still to come. */
  | { readonly type: "wait"; readonly about: undefined }
  /** It names a message without a part of its answer: a preview. `isAnswer`: it has the first words of an answer. */
  | { readonly type: "preview"; readonly about: string; readonly isAnswer: boolean };

/** The gateway's notice that a message waits. */
const WAITS = /Your message (?:waits for its turn|comes after it)/;

/** What people see on the platform, by its own log. Edits change messages. */
export class PlatformView {
  readonly #feishu: FakeFeishu;
  readonly #inputOf: (messageId: string) => string | undefined;
  /** Visible parts of the answer to an input. */
  readonly #parts = new Map<string, Set<number>>();
  readonly #answered = new Set<string>();
  readonly #mentioned = new Set<string>();
  /** Log positions to read again: their inputs have no complete answer yet. */
  #open: number[] = [];
  #looked = 0;

  constructor(feishu: FakeFeishu, inputOf: (messageId: string) => string | undefined) {
    this.#feishu = feishu;
    this.#inputOf = inputOf;
  }

  /** Inputs with a complete visible answer, or a notice that there is none. */
  get answered(): ReadonlySet<string> {
    this.#look();
    return this.#answered;
  }

  /** Inputs that any message is about, previews included. */
  get mentioned(): ReadonlySet<string> {
    this.#look();
    return this.#mentioned;
  }

  /** Notices that people got instead of an answer. */
  get notices(): number {
    return this.#feishu.sent.filter((message) => this.#see(message).type === "notice").length;
  }

  /** Each part of each answer, once for every message that has it; a notice replaces the missing part. */
  sends(): ObservedSend[] {
    this.#look();
    return this.#feishu.sent.flatMap((message) => {
      const seen = this.#see(message);
      const base = { id: nameOf(message), conversation: message.receiveId, answers: seen.about, shown: true, onWireAtKill: false };
      if (seen.type === "preview" || seen.type === "wait") return [];
      if (seen.type === "parts") return seen.parts.map((part) => ({ ...base, part }));
      return [{ ...base, part: this.#parts.get(seen.about ?? "")?.size ?? 0 }];
    });
  }

  /**
   * What must not be visible at the end: a preview, a cut answer, a notice that a complete answer has failed. The last is allowed where answers are streamed:
   * all of the text is visible, and the turn crashed the gateway too often before its end was on disk.
   */
  problems({ grows }: { readonly grows: boolean }): string[] {
    this.#look();
    const all = this.#feishu.sent.map((message) => ({ message, seen: this.#see(message) }));
    const told = new Set(all.flatMap(({ seen }) => (seen.type === "notice" ? [seen.about] : [])));
    // Visible words of an answer may stay if people are notified that the rest is missing.
    const left = all.filter(({ seen }) => seen.type === "preview" && !(seen.isAnswer && told.has(seen.about)));
    return [
      ...left.map(({ message }) => `a preview was left: ${nameOf(message)}`),
      ...[...this.#parts].flatMap(([about, { size }]) => {
        if (size < PARTS && !told.has(about)) return [`the answer to ${about} breaks off after ${size} of ${PARTS} parts`];
        return !grows && size === PARTS && told.has(about) ? [`${about} was answered, and people were told that it was not`] : [];
      }),
    ];
  }

  #look(): void {
    for (; this.#looked < this.#feishu.sent.length; this.#looked += 1) this.#open.push(this.#looked);
    this.#open = this.#open.filter((at) => {
      const message = this.#feishu.sent[at];
      if (message === undefined) return false;
      const seen = this.#see(message);
      if (seen.about === undefined) return false;
      this.#mentioned.add(seen.about);
      const parts = this.#parts.get(seen.about) ?? new Set();
      if (seen.type === "parts") this.#parts.set(seen.about, parts);
      if (seen.type === "parts") for (const part of seen.parts) parts.add(part);
      if (seen.type === "notice" || parts.size === PARTS) this.#answered.add(seen.about);
      return !this.#answered.has(seen.about);
    });
  }

  #see({ parentId, content }: FeishuSentMessage): Seen {
    // The summary of a card, which repeats its beginning, is in the list of chats alone.
    const text = JSON.stringify({ ...(content as object), config: undefined });
    const parent = parentId === undefined ? undefined : this.#inputOf(parentId);
    const parts = readParts(text);
    const named = parts[0]?.mark ?? text.match(MARK)?.[0];
    if (WAITS.test(text)) return { type: "wait", about: undefined };
    if (named === undefined) return { type: "notice", about: parent };
    if (parts.length === 0) return { type: "preview", about: parent ?? named, isAnswer: text.includes("Part 1 of the answer") };
    // An answer under a stranger's message answers nothing, nor does one to several.
    const isOne = parts.every(({ mark }) => mark === named) && (parent === undefined || parent === named);
    return { type: "parts", about: isOne ? named : undefined, parts: parts.map(({ part }) => part) };
  }
}

function nameOf({ messageId, content, parentId }: FeishuSentMessage): string {
  return `${messageId} (${JSON.stringify(content)}${parentId === undefined ? "" : ` under ${parentId}`})`;
}
