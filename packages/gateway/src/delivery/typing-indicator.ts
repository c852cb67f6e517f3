import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, Origin } from "@factotum/channel-contract";
import { conversationKey } from "../kernel/conversation-key.ts";

/** Milliseconds between two signs: platforms forget one after about five seconds. */
const INTERVAL_MS = 4_000;
const SEND_TIMEOUT_MS = 5_000;
/** Signs in a row that failed, after which there are no more. */
const MAX_FAILURES = 3;

/** What the signs need of the rest. */
export interface TypingIndicatorOptions {
  readonly channelFor: (target: Origin) => Channel | undefined;
  /** True while something is done for the conversation, or is on its way to it. */
  readonly worksFor: (sessionKey: string, target: Origin) => boolean;
  readonly isSuppressed: (sessionKey: string, target: Origin) => Promise<boolean>;
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Logger;
}

/**
 * Shows in a chat that an answer is being written, from the message's acceptance to the last send. Before every sign it is asked whether there still is
 * work for the conversation, so that no ending, however it comes, leaves a chat in which somebody seems to write.
 */
export class TypingIndicator {
  readonly #options: TypingIndicatorOptions;
  readonly #shown = new Map<string, Disposable | undefined>();
  #isClosed = false;

  constructor(options: TypingIndicatorOptions) {
    this.#options = options;
  }

  /** Work on a conversation begins, or goes on. Does nothing where the channel has no such sign. Never throws. */
  begin(sessionKey: string, target: Origin): void {
    const key = conversationKey(target);
    if (this.#isClosed || this.#shown.has(key) || this.#options.channelFor(target)?.capabilities.typing !== true) return;
    this.#shown.set(key, undefined);
    void this.#show({ sessionKey, target, key, failures: 0 });
  }

  /** Conversations in which a sign is shown. */
  get active(): number {
    return this.#shown.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#shown.values()) timer?.[Symbol.dispose]();
    this.#shown.clear();
  }

  async #show(sign: {
    readonly sessionKey: string;
    readonly target: Origin;
    readonly key: string;
    readonly failures: number;
  }): Promise<void> {
    const failures = (await this.#send(sign)) ? 0 : sign.failures + 1;
    if (this.#isClosed || failures >= MAX_FAILURES || !this.#works(sign)) {
      this.#shown.delete(sign.key);
      return;
    }
    const again = this.#options.clock.schedule(INTERVAL_MS, () => {
      if (this.#works(sign)) void this.#show({ ...sign, failures });
      else this.#shown.delete(sign.key);
    });
    this.#shown.set(sign.key, again);
  }

  #works({ sessionKey, target }: { readonly sessionKey: string; readonly target: Origin }): boolean {
    return this.#options.worksFor(sessionKey, target);
  }

  /** True when it is shown, or shall not be. */
  async #send({ sessionKey, target }: { readonly sessionKey: string; readonly target: Origin }): Promise<boolean> {
    const { channelFor, isSuppressed, clock, random, logger } = this.#options;
    const limit = new AbortController();
    using _timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      if (await isSuppressed(sessionKey, target)) return true;
      const receipt = await channelFor(target)?.send(target, { type: "typing" }, { idempotencyKey: random.uuid(), signal: limit.signal });
      return receipt?.type === "accepted";
    } catch (error) {
      logger.debug("A chat was not shown that an answer is being written", { channel: target.channel, error });
      return false;
    }
  }
}
