import type { AccountChange, ChannelHost, Conversation } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";

const PREFIX = "chat/";
/** Chats in memory; others are read from the state. */
const MAX_CHATS = 2_000;

/**
 * Which chats are direct. Messages say so, other events do not; a chat without messages has no session that an event could be shown in. Stored across restarts
 * with the first message of a chat.
 */
export class KnownChats {
  readonly #host: Pick<ChannelHost, "state">;
  readonly #kinds = createBoundedMap<string, Conversation["kind"]>(MAX_CHATS);

  constructor(host: Pick<ChannelHost, "state">) {
    this.#host = host;
  }

  /** Changes to commit with a message of the chat, if any. */
  learn({ kind, id }: Conversation): readonly AccountChange[] {
    if (this.#kinds.get(id) === kind) return [];
    return [{ type: "set", key: `${PREFIX}${id}`, value: { type: "json", json: kind } }];
  }

  /** To be called once the message is committed. */
  keep({ kind, id }: Conversation): void {
    this.#kinds.set(id, kind);
  }

  /** `undefined` for a chat without messages to the bot. */
  async kindOf(chatId: string): Promise<Conversation["kind"] | undefined> {
    const known = this.#kinds.get(chatId);
    if (known !== undefined) return known;
    const stored = await this.#host.state.get(`${PREFIX}${chatId}`);
    const kind = stored?.type === "json" && (stored.json === "direct" || stored.json === "group") ? stored.json : undefined;
    if (kind !== undefined) this.#kinds.set(chatId, kind);
    return kind;
  }
}
