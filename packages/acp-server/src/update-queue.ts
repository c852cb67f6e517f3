import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** Characters of text that may wait for a client that reads slowly. */
const MAX_WAITING_CHARS: number = 16 * 1024 * 1024;

/** Where updates go. */
export interface UpdateQueueOptions {
  /** Resolves when the client's stream has taken the update; rejects when the connection is over. */
  readonly send: (update: SessionUpdate) => Promise<void>;
  /** The client does not read: its connection should end. Called once. */
  readonly onFlood: () => void;
}

/**
 * The updates of a session on their way to the client, in order, one at a time. What waits is joined: text of one message, and states of one call. A client that
 * leaves more than 16 Mi characters unread is disconnected.
 */
export class UpdateQueue {
  readonly #options: UpdateQueueOptions;
  readonly #waiting: { readonly update: SessionUpdate; readonly chars: number }[] = [];
  #waitingChars = 0;
  #isOver = false;
  #sending: Promise<void> | undefined;

  constructor(options: UpdateQueueOptions) {
    this.#options = options;
  }

  push(updates: readonly SessionUpdate[]): void {
    for (const update of updates) {
      if (this.#isOver) return;
      const chars = charsOf(update);
      const last = this.#waiting.at(-1);
      const joined = last === undefined ? undefined : join(last.update, update);
      if (last === undefined || joined === undefined) this.#waiting.push({ update, chars });
      else
        this.#waiting[this.#waiting.length - 1] = {
          update: joined,
          chars: isChunk(joined) ? last.chars + chars : Math.max(last.chars, chars),
        };
      this.#waitingChars += (this.#waiting.at(-1)?.chars ?? 0) - (joined === undefined ? 0 : (last?.chars ?? 0));
      if (this.#waitingChars > MAX_WAITING_CHARS) {
        this.#end();
        this.#options.onFlood();
      }
    }
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when the client has taken everything, or is gone. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    try {
      // Events that came together are joined before the first one goes.
      await Promise.resolve();
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#waitingChars -= next.chars;
        await this.#options.send(next.update);
      }
    } catch {
      // The connection has closed: the rest is discarded, and its end is handled by the code that serves it.
      this.#end();
    } finally {
      this.#sending = undefined;
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }
}

/** Both as one update; `undefined` if the client must see the first one. */
function join(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  if (first.sessionUpdate === "tool_call_update" && second.sessionUpdate === "tool_call_update")
    return first.toolCallId === second.toolCallId ? { ...first, ...second } : undefined;
  if (!isChunk(first) || !isChunk(second) || first.sessionUpdate !== second.sessionUpdate || first.messageId !== second.messageId)
    return undefined;
  if (first.content.type !== "text" || second.content.type !== "text") return undefined;
  return { ...first, content: { type: "text", text: first.content.text + second.content.text } };
}

type ChunkUpdate = Extract<SessionUpdate, { sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" }>;

function isChunk(update: SessionUpdate): update is ChunkUpdate {
  return update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk";
}

function charsOf(update: SessionUpdate): number {
  return isChunk(update) && update.content.type === "text" ? update.content.text.length : JSON.stringify(update).length;
}
