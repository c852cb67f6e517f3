import type { AccountChange, ChannelHost, MsgContext } from "@factotum/channel-contract";

const PREFIX = "thread/";
const LIFE_MS = 90 * 24 * 60 * 60_000;

/**
 * The first message of each thread that addressed the bot: only with that one the thread's earlier messages are shown, since later ones find them in their
 * session. Stored across restarts for 90 days.
 */
export class KnownThreads {
  readonly #host: Pick<ChannelHost, "state" | "clock">;

  constructor(host: Pick<ChannelHost, "state" | "clock">) {
    this.#host = host;
  }

  /** Changes to commit with a message, if any. */
  async learn(message: MsgContext): Promise<readonly AccountChange[]> {
    const key = keyOf(message);
    const isAddressed = message.mentionsBot || message.origin.conversation.kind === "direct";
    if (key === undefined || !isAddressed || (await this.#host.state.get(key)) !== undefined) return [];
    const expiresAtMs = this.#host.clock.now() + LIFE_MS;
    return [{ type: "set", key, value: { type: "json", json: message.messageId }, expiresAtMs }];
  }

  /** True for the first message of a thread, unless it began the thread. */
  async isFirst(message: MsgContext): Promise<boolean> {
    const key = keyOf(message);
    if (key === undefined || message.origin.conversation.threadId === message.messageId) return false;
    const stored = await this.#host.state.get(key);
    return stored?.type === "json" && stored.json === message.messageId;
  }
}

function keyOf({ origin: { conversation } }: MsgContext): string | undefined {
  return conversation.threadId === undefined ? undefined : `${PREFIX}${conversation.id}/${conversation.threadId}`;
}
