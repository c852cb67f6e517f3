import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, Origin } from "@factotum/channel-contract";
import { conversationKey } from "../kernel/conversation-key.ts";

/** Milliseconds between typing signals: platforms let one expire after about five seconds. */
const INTERVAL_MS = 4_000;
const SEND_TIMEOUT_MS = 5_000;
/** Consecutive failures after which no more signals are sent. */
const MAX_FAILURES = 3;

/** Dependencies of the typing indicator. */
export interface TypingIndicatorOptions {
  readonly channelFor: (target: Origin) => Channel | undefined;
  /** True while the conversation has work or unsent messages. */
  readonly worksFor: (sessionKey: string, target: Origin) => boolean;
  /** Counts a signal for the account's rate; false if it is exceeded. */
  readonly maySend: (target: Origin) => boolean;
  readonly isSuppressed: (sessionKey: string, target: Origin) => Promise<boolean>;
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Logger;
}

/**
 * Shows in a chat that an answer is being written, from the message's acceptance to the last send. Before every signal it checks whether the conversation still
 * has work, so the indicator stops however the work ends.
 */
export class TypingIndicator {
  readonly #options: TypingIndicatorOptions;
  readonly #shown = new Map<string, Disposable | undefined>();
  #isClosed = false;

  constructor(options: TypingIndicatorOptions) {
    this.#options = options;
  }

  /** Work on a conversation starts or continues. A no-op if the channel does not support typing. Never throws. */
  begin(sessionKey: string, target: Origin): void {
    const key = conversationKey(target);
    if (this.#isClosed || this.#shown.has(key) || this.#options.channelFor(target)?.capabilities.typing !== true) return;
    this.#shown.set(key, undefined);
    void this.#show({ sessionKey, target, key, failures: 0 });
  }

  /** Number of conversations that show typing. */
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

  /** True if it is shown, not needed any more, or left out to keep the account's rate. */
  async #send({ sessionKey, target }: { readonly sessionKey: string; readonly target: Origin }): Promise<boolean> {
    const { channelFor, isSuppressed, maySend, clock, random, logger } = this.#options;
    const limit = new AbortController();
    using _timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    try {
      if ((await isSuppressed(sessionKey, target)) || !maySend(target)) return true;
      const receipt = await channelFor(target)?.send(target, { type: "typing" }, { idempotencyKey: random.uuid(), signal: limit.signal });
      return receipt?.type === "accepted";
    } catch (error) {
      logger.debug("A chat was not shown that an answer is being written", { channel: target.channel, error });
      return false;
    }
  }
}
