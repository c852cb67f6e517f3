import type { Origin } from "@factotum/channel-contract";
import type { PairingSender } from "@factotum/store";

/** The approved senders, in memory: every message asks for one. Ids are compared exactly, per account. */
export class PairedSenders {
  readonly #keys = new Set<string>();

  add(sender: PairingSender): void {
    this.#keys.add(keyOf(sender));
  }

  delete(sender: PairingSender): void {
    this.#keys.delete(keyOf(sender));
  }

  has({ channel, accountId }: Pick<Origin, "channel" | "accountId">, senderId: string): boolean {
    return this.#keys.has(keyOf({ channel, accountId, senderId }));
  }

  /** Number of approved senders. */
  get size(): number {
    return this.#keys.size;
  }
}

function keyOf({ channel, accountId, senderId }: PairingSender): string {
  return JSON.stringify([channel, accountId, senderId]);
}
