import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Piece, type TagChoice, TaggedTextReader } from "./tagged-text-reader.ts";

type Part = LanguageModelV4StreamPart;

/** The content of a call's block. */
export interface WrittenCall {
  readonly name: string;
  readonly argumentsText: string;
}

/** How tags are parsed in one answer. */
export interface TaggedPartsOptions {
  readonly tags: TagChoice;
  readonly generateId: () => string;
  /** Never fails: an invalid block becomes a call of a tool that does not exist. */
  readonly parseCall: (body: string, options: { readonly closed: boolean }) => WrittenCall;
}

/**
 * Splits the text parts of an answer into text, thinking and calls, as if the provider had separated them. All other parts pass. As soon as the provider sends
 * native thinking, thinking tags in later text are plain text.
 */
export class TaggedParts {
  readonly #options: TaggedPartsOptions;
  readonly #readers = new Map<string, TaggedTextReader>();
  #thinksNatively = false;
  #open: { readonly type: "text" | "thinking"; readonly id: string } | undefined;
  #count = 0;

  constructor(options: TaggedPartsOptions) {
    this.#options = options;
  }

  accept(part: Part): readonly Part[] {
    switch (part.type) {
      case "text-start":
        return [];
      case "text-delta":
        return this.#render(this.#readerOf(part.id).read(part.delta));
      case "text-end":
        return this.#endText(part.id);
      case "reasoning-start":
        this.#thinksNatively = true;
        return [...this.#close(), part];
      case "finish":
        return [...[...this.#readers.keys()].flatMap((id) => this.#endText(id)), part];
      default:
        return [part];
    }
  }

  #readerOf(id: string): TaggedTextReader {
    const { tags } = this.#options;
    const reader = this.#readers.get(id) ?? new TaggedTextReader({ ...tags, thinking: tags.thinking && !this.#thinksNatively });
    this.#readers.set(id, reader);
    return reader;
  }

  #endText(id: string): Part[] {
    const reader = this.#readers.get(id);
    this.#readers.delete(id);
    return reader === undefined ? [] : [...this.#render(reader.end()), ...this.#close()];
  }

  #render(pieces: readonly Piece[]): Part[] {
    return pieces.flatMap((piece): Part[] => {
      switch (piece.type) {
        case "text":
          return [...this.#openBlock("text"), { type: "text-delta", id: this.#id, delta: piece.text }];
        case "thinking":
          return [...this.#openBlock("thinking"), { type: "reasoning-delta", id: this.#id, delta: piece.text }];
        case "thinking-end":
          return this.#close();
        case "call": {
          const { name, argumentsText } = this.#options.parseCall(piece.body, piece);
          return [...this.#close(), { type: "tool-call", toolCallId: this.#options.generateId(), toolName: name, input: argumentsText }];
        }
      }
    });
  }

  get #id(): string {
    return this.#open?.id ?? "";
  }

  #openBlock(type: "text" | "thinking"): Part[] {
    if (this.#open?.type === type) return [];
    const closed = this.#close();
    this.#count += 1;
    this.#open = { type, id: `tagged-${this.#count}` };
    return [...closed, { type: type === "text" ? "text-start" : "reasoning-start", id: this.#open.id }];
  }

  #close(): Part[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ type: open.type === "text" ? "text-end" : "reasoning-end", id: open.id }];
  }
}
