import type { MsgContext } from "@factotum/channel-contract";
import { LRUCache } from "lru-cache";
import { conversationKey } from "../kernel/conversation-key.ts";

const MAX_CONVERSATIONS = 1000;
/** Of one conversation, as JSON. */
const MAX_CONVERSATION_CHARS = 1024 * 1024;
/** Of all conversations together. */
const MAX_CHARS = 8 * 1024 * 1024;

interface Kept {
  readonly message: MsgContext;
  readonly chars: number;
}

/**
 * What was said in groups without addressing the assistant, until it is addressed. Bounded in messages and characters per conversation, in
 * conversations, and in characters of all; what was said longest ago goes first.
 */
export class GroupHistoryBuffer {
  readonly #messages = new LRUCache<string, readonly Kept[]>({ max: MAX_CONVERSATIONS, maxSize: MAX_CHARS });

  /** Keeps at most `limit` of a conversation. */
  add(message: MsgContext, limit: number): void {
    if (limit === 0) return;
    const key = conversationKey(message.origin);
    const all = [...(this.#messages.get(key) ?? []), { message, chars: JSON.stringify(message).length }].slice(-limit);
    let chars = 0;
    const tooMuch = all.findLastIndex((kept) => (chars += kept.chars) > MAX_CONVERSATION_CHARS);
    const kept = all.slice(tooMuch + 1);
    if (kept.length === 0) this.#messages.delete(key);
    else this.#messages.set(key, kept, { size: kept.reduce((sum, each) => sum + each.chars, 0) });
  }

  /** Hands out what was kept of the conversation and forgets it. */
  take(message: MsgContext): readonly MsgContext[] {
    const key = conversationKey(message.origin);
    const kept = this.#messages.get(key) ?? [];
    this.#messages.delete(key);
    return kept.map((each) => each.message);
  }
}
