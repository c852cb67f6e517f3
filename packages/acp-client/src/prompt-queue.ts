import type { JsonObject, ModelError, ToolCall } from "@factotum/agent-contract";

/** Counted for the arguments of a call of the agent's own. */
const OWN_CALL_CHARS = 1_000;

/** A call that the agent needs from the gateway. */
export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** How the agent ended a prompt. */
export interface PromptEnd {
  readonly stopReason: string;
  readonly usage: Readonly<Record<string, unknown>>;
}

/** What is new of something that the agent does itself. */
export interface OwnCallItem {
  readonly type: "own-call";
  readonly call: ToolCall;
  /** It has begun, or the agent describes it in another way. */
  readonly isChanged: boolean;
  /** More of its output. */
  readonly added: string;
  /** It has ended, with all of its output. */
  readonly end?: { readonly text: string; readonly isError: boolean };
}

/** What happens in a prompt, in order. */
export type PromptItem =
  | { readonly type: "text" | "thought"; readonly text: string }
  | { readonly type: "call"; readonly call: AgentCall }
  | OwnCallItem
  | { readonly type: "ended"; readonly end: PromptEnd }
  | { readonly type: "failed"; readonly error: ModelError };

/** What happens in the prompts of one conversation, until it is read. Texts of one kind that follow each other are one item. */
export class PromptQueue {
  #items: PromptItem[] = [];
  #chars = 0;
  #wake = Promise.withResolvers<void>();

  /** Characters of text that were not read yet. */
  get chars(): number {
    return this.#chars;
  }

  push(item: PromptItem): void {
    const last = this.#items.at(-1);
    if (item.type === "text" || item.type === "thought") {
      this.#chars += charsOf(item);
      if (last?.type === item.type) this.#items[this.#items.length - 1] = { type: item.type, text: last.text + item.text };
      else this.#items.push(item);
    } else {
      this.#chars += charsOf(item);
      this.#items.push(item);
    }
    this.#wake.resolve();
  }

  /** The next item. Rejects with the signal's reason once that has fired. */
  async next(signal: AbortSignal): Promise<PromptItem> {
    for (;;) {
      signal.throwIfAborted();
      const item = this.#items.shift();
      if (item !== undefined) {
        this.#chars -= charsOf(item);
        return item;
      }
      this.#wake = Promise.withResolvers();
      await abortable(this.#wake.promise, signal);
    }
  }

  /** Drops what was not read. */
  clear(): void {
    this.#items = [];
    this.#chars = 0;
  }
}

function charsOf(item: PromptItem): number {
  if (item.type === "text" || item.type === "thought") return item.text.length;
  return item.type === "own-call" ? item.added.length + (item.end?.text.length ?? 0) + OWN_CALL_CHARS : 0;
}

/** Settles as the promise, or rejects with the signal's reason if that fires first. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const fired = Promise.withResolvers<never>();
  const onAbort = (): void => fired.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, fired.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
