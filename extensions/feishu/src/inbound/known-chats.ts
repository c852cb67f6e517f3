import type { AccountChange, ChannelHost, Conversation } from "@factotum/channel-contract";
import { createBoundedMap, reasonOf } from "@factotum/channel-kit";

const PREFIX = "chat/";
/** Chats in memory; others are read from the state. */
const MAX_CHATS = 2_000;

/**
 * Which chats are direct. Messages say so, other events do not; a chat without messages has no session that an event could be shown in, except that a button of
 * a card can be pressed that was sent to a person by their id. Stored across restarts with the first message of a chat, in either direction.
 */
export class KnownChats {
  readonly #host: Pick<ChannelHost, "state" | "commit" | "logger">;
  readonly #kinds = createBoundedMap<string, Conversation["kind"]>(MAX_CHATS);

  constructor(host: Pick<ChannelHost, "state" | "commit" | "logger">) {
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

  /** The bot's message has reached a person in this chat. Never rejects, because the message is shown; without the stored entry, a press after a restart is ignored. */
  async learnDirect(id: string): Promise<void> {
    const conversation: Conversation = { kind: "direct", id };
    const state = this.learn(conversation);
    if (state.length === 0) return;
    this.keep(conversation);
    try {
      await this.#host.commit({ state });
    } catch (error) {
      this.#host.logger.warn("feishu chat not stored", { error: reasonOf(error) });
    }
  }

  /** `undefined` for a chat that neither side has written in, as far as the bot knows. */
  async kindOf(chatId: string): Promise<Conversation["kind"] | undefined> {
    const known = this.#kinds.get(chatId);
    if (known !== undefined) return known;
    const stored = await this.#host.state.get(`${PREFIX}${chatId}`);
    const kind = stored?.type === "json" && (stored.json === "direct" || stored.json === "group") ? stored.json : undefined;
    if (kind !== undefined) this.#kinds.set(chatId, kind);
    return kind;
  }
}
