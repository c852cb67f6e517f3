import type { MsgContext, Origin } from "@factotum/channel-contract";
import { LRUCache } from "lru-cache";
import { conversationKey } from "../kernel/conversation-key.ts";

const MAX_CONVERSATIONS = 1000;
/** Maximum JSON characters of one conversation. */
const MAX_CONVERSATION_CHARS = 1024 * 1024;
/** Maximum JSON characters of all conversations. */
const MAX_CHARS = 8 * 1024 * 1024;

interface Kept {
  readonly message: MsgContext;
  readonly chars: number;
}

/** Whose history it is: of several agents that answer one conversation, each takes its own. Empty where one agent answers. */
type Reader = string;

/**
 * Buffers group messages that do not address the assistant until one does. Bounded by messages and characters per conversation, by conversations and by total
 * characters; the oldest are evicted first.
 */
export class GroupHistoryBuffer {
  readonly #messages = new LRUCache<string, readonly Kept[]>({ max: MAX_CONVERSATIONS, maxSize: MAX_CHARS });

  /** Keeps at most `limit` messages of a conversation. */
  add(message: MsgContext, limit: number, reader: Reader = ""): void {
    if (limit === 0) return;
    const key = keyOf(message.origin, reader);
    const all = [...(this.#messages.get(key) ?? []), { message, chars: JSON.stringify(message).length }].slice(-limit);
    let chars = 0;
    const tooMuch = all.findLastIndex((kept) => (chars += kept.chars) > MAX_CONVERSATION_CHARS);
    const kept = all.slice(tooMuch + 1);
    if (kept.length === 0) this.#messages.delete(key);
    else this.#messages.set(key, kept, { size: kept.reduce((sum, each) => sum + each.chars, 0) });
  }

  /** Removes and returns the buffered messages of a conversation, in the order of its addresses. */
  take(addresses: readonly Origin[], reader: Reader = ""): readonly MsgContext[] {
    return addresses.flatMap((origin) => {
      const key = keyOf(origin, reader);
      const kept = this.#messages.get(key) ?? [];
      this.#messages.delete(key);
      return kept.map((each) => each.message);
    });
  }
}

function keyOf(origin: Origin, reader: Reader): string {
  return reader === "" ? conversationKey(origin) : JSON.stringify([conversationKey(origin), reader]);
}
