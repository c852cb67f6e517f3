import { AsyncLocalStorage } from "node:async_hooks";
import type { AccountChange, AccountProgress } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";

/** One request of the platform while the adapter handles it, with all that the adapter does because of it. */
export class Delivery {
  /** Changes of the adapter's state, by row: committed with the event, or never. */
  readonly changes: Map<string, AccountChange> = new Map();
  readonly outcomes: EventOutcome[] = [];
  readonly failures: unknown[] = [];
  readonly #pending = new Set<Promise<unknown>>();
  #last: Promise<void> = Promise.resolve();
  #isOpen = true;

  /** False once the request was answered: what the adapter still does belongs to no request. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if an event of this request was passed to the gateway. */
  get hasPassed(): boolean {
    return this.outcomes.some(({ type }) => type === "accepted" || type === "duplicate");
  }

  /** The answer waits for this work; its failure is not one of the request. */
  waitFor(work: Promise<unknown>): void {
    const settled: Promise<unknown> = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  /** Resolves once no work is left, including what was added while waiting. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Runs the work of one event after that of earlier ones; an event that was not stored is a failure of the request. Never rejects: adapters do not expect that. */
  async take(accept: (progress: AccountProgress) => Promise<EventOutcome>): Promise<void> {
    const before = this.#last;
    this.#last = before.then(async () => this.#accept(accept));
    this.waitFor(this.#last);
    await this.#last;
  }

  close(): void {
    this.#isOpen = false;
  }

  async #accept(accept: (progress: AccountProgress) => Promise<EventOutcome>): Promise<void> {
    const changes = [...this.changes.values()];
    try {
      const outcome = await accept(changes.length === 0 ? {} : { state: changes });
      this.outcomes.push(outcome);
      if (outcome.type !== "accepted" && outcome.type !== "duplicate") return;
      for (const change of changes) if (this.changes.get(change.key) === change) this.changes.delete(change.key);
    } catch (error) {
      this.failures.push(error);
    }
  }
}

/** Tells what an adapter does because of a request from what it does by itself. */
export interface Deliveries {
  run<T>(delivery: Delivery, work: () => T): T;
  /** The request that the caller works for, if it is not answered yet. */
  current(): Delivery | undefined;
}

/** Follows the asynchronous calls of the process: adapters pass nothing on that says to which request a call belongs. */
export function createDeliveries(): Deliveries {
  const storage = new AsyncLocalStorage<Delivery>();
  return {
    run: (delivery, work) => storage.run(delivery, work),
    current() {
      const delivery = storage.getStore();
      return delivery?.isOpen === true ? delivery : undefined;
    },
  };
}
