import type { MsgContext } from "@factotum/channel-contract";
import { conversationKey } from "../kernel/conversation-key.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { isOwnAddress } from "../delivery/plan-message.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { RunningConfig } from "../agents/running-config.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { SessionStore } from "@factotum/store";

/** Dependencies of refusal notices. */
export interface RefusalNoticesOptions {
  readonly storage: StorageGuard;
  readonly store: SessionStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

const TEXT =
  "My disk is full or cannot be written, so I have not taken in your message yet. As soon as that is repaired it should reach me by itself; if no answer comes then, please send it again.";

/** Maximum conversations notified per outage. */
const MAX_TOLD = 1000;
const SEND_TIMEOUT_MS = 10_000;

/**
 * Notifies chats that no messages are accepted while nothing can be stored (R30): once per conversation and outage. This is the only message sent without an
 * outbox row, for which there is no disk space: it is retried only if the platform rejected it, and is lost with the process.
 */
export class RefusalNotices {
  readonly #options: RefusalNoticesOptions;
  readonly #told = new Set<string>();
  #sinceMs: number | undefined;

  constructor(options: RefusalNoticesOptions) {
    this.#options = options;
  }

  /** Answers a message of an admitted sender that could not be stored. */
  async notify(sessionKey: string, { origin, messageId }: MsgContext): Promise<void> {
    const { storage, store, running, channels, clock, logger } = this.#options;
    const { problem } = storage;
    const channel = channels.channelFor(origin);
    if (problem === undefined || channel === undefined || isOwnAddress(origin, channels)) return;
    const conversation = conversationKey(origin);
    if (!this.#begin(conversation, problem.sinceMs) || (await isSuppressed({ sessionKey, origin }, { store, running }))) return;
    const limit = new AbortController();
    using _timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    const idempotencyKey = sendKey("storage", conversation, problem.sinceMs);
    const receipt = await channel.send(origin, { type: "text", text: TEXT, replyTo: messageId }, { idempotencyKey, signal: limit.signal });
    if (receipt.type === "rejected") this.#told.delete(conversation);
    logger.info("A chat was told that nothing can be stored", {
      channel: origin.channel,
      accountId: origin.accountId,
      receipt: receipt.type,
    });
  }

  /** False if the conversation was already notified in this outage. */
  #begin(conversation: string, sinceMs: number): boolean {
    if (this.#sinceMs !== sinceMs) this.#told.clear();
    this.#sinceMs = sinceMs;
    if (this.#told.has(conversation) || this.#told.size >= MAX_TOLD) return false;
    this.#told.add(conversation);
    return true;
  }
}
