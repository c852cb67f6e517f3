import type { Clock, Logger } from "@factotum/agent-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { Origin } from "@factotum/channel-contract";
import type { InboxStore, InputRecord, OutboxRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** How often a held input is looked at although nothing was reported: an end that is stored by a repair is reported by no one. */
const RECHECK_MS = 30_000;

/** Dependencies of the order. */
export interface AnswerOrderOptions {
  readonly store: Pick<InboxStore, "readInput">;
  readonly watchers: Pick<InputWatchers, "watch">;
  readonly dispatcher: Pick<Dispatcher, "events" | "waitingFor">;
  readonly clock: Pick<Clock, "schedule">;
  readonly logger: Logger;
}

interface HeldInput {
  readonly input: InputRecord;
  /** Fires when it is dropped, or the gateway stops. */
  readonly released: AbortController;
}

/**
 * The order of agents that answer a conversation one after the other: an input is held until the one before it has ended and nothing is left to send in its
 * conversation. Inputs of one session keep their order. A held input stays in the inbox like every waiting input, and is held again after a restart.
 */
export class AnswerOrder {
  readonly #options: AnswerOrderOptions;
  readonly #queue = createKeyedQueue();
  /** By session, oldest first. */
  readonly #held = new Map<string, readonly HeldInput[]>();

  constructor(options: AnswerOrderOptions) {
    this.#options = options;
  }

  /** Calls `begin` once it is the turn of an input, unless it is dropped before. An input that waits for no other one begins at once. */
  hold(sessionKey: string, input: InputRecord, begin: () => void): void {
    const after = input.admission.broadcast?.after;
    if (after === undefined) return begin();
    const held: HeldInput = { input, released: new AbortController() };
    this.#held.set(sessionKey, [...(this.#held.get(sessionKey) ?? []), held]);
    void this.#queue.run(sessionKey, async () => {
      await this.#waitFor(after, input.message.origin, held.released.signal);
      if (held.released.signal.aborted) return;
      this.#forget(sessionKey, held);
      begin();
    });
  }

  /** Removes the held inputs of a session and returns them: their work was stopped. */
  drop(sessionKey: string): readonly InputRecord[] {
    const held = this.#held.get(sessionKey) ?? [];
    this.#held.delete(sessionKey);
    for (const { released } of held) released.abort();
    return held.map(({ input }) => input);
  }

  /** Begins nothing more: what is held is held again after the next start. */
  close(): void {
    for (const sessionKey of this.#held.keys()) this.drop(sessionKey);
  }

  /** Resolves once nothing is held. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  #forget(sessionKey: string, held: HeldInput): void {
    const others = (this.#held.get(sessionKey) ?? []).filter((one) => one !== held);
    if (others.length === 0) this.#held.delete(sessionKey);
    else this.#held.set(sessionKey, others);
  }

  /** Resolves once the input before has ended and its answer has left, or the signal fires. */
  async #waitFor(after: string, target: Origin, signal: AbortSignal): Promise<void> {
    const { watchers, dispatcher, clock } = this.#options;
    let news = Promise.withResolvers<void>();
    const wake = (): void => news.resolve();
    const onRow = (row: OutboxRecord): void => {
      if (conversationKey(row.target) === conversationKey(target)) wake();
    };
    dispatcher.events.on("row-settled", onRow);
    signal.addEventListener("abort", wake);
    try {
      using _watch = watchers.watch(after, { onClaimed: () => undefined, onReport: wake, onAnswered: wake, onSettled: wake });
      while (!signal.aborted) {
        news = Promise.withResolvers<void>();
        using _timer = clock.schedule(RECHECK_MS, wake);
        if (await this.#isOver(after, target)) return;
        if (!signal.aborted) await news.promise;
      }
    } finally {
      dispatcher.events.off("row-settled", onRow);
      signal.removeEventListener("abort", wake);
    }
  }

  /** An input that cannot be read holds up no other agent. */
  async #isOver(after: string, target: Origin): Promise<boolean> {
    const { store, dispatcher, logger } = this.#options;
    try {
      const type = (await store.readInput(after))?.state.type;
      return type !== "waiting" && type !== "claimed" && dispatcher.waitingFor(target) === 0;
    } catch (error) {
      logger.warn("The message before could not be read, so the next agent answers", { inputId: after, error });
      return true;
    }
  }
}
