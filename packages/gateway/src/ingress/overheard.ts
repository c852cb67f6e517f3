import type { MsgContext } from "@factotum/channel-contract";
import { conversationKey } from "../delivery/conversation-key.ts";

const MAX_CONVERSATIONS = 1000;

/** What was said in groups without addressing the assistant, until it is addressed. Bounded in messages per conversation and in conversations. */
export class Overheard {
  readonly #messages = new Map<string, MsgContext[]>();

  /** Keeps at most `limit` of a conversation. */
  add(message: MsgContext, limit: number): void {
    if (limit === 0) return;
    const key = conversationKey(message.origin);
    const messages = this.#messages.get(key) ?? [];
    this.#messages.delete(key);
    this.#messages.set(key, [...messages, message].slice(-limit));
    const oldest = this.#messages.keys().next();
    if (this.#messages.size > MAX_CONVERSATIONS && oldest.done !== true) this.#messages.delete(oldest.value);
  }

  /** Hands out what was kept of the conversation and forgets it. */
  take(message: MsgContext): readonly MsgContext[] {
    const key = conversationKey(message.origin);
    const messages = this.#messages.get(key) ?? [];
    this.#messages.delete(key);
    return messages;
  }
}
