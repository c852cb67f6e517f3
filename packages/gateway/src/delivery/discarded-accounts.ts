import type { Origin } from "@factotum/channel-contract";
import type { OutboxRecord } from "@factotum/store";

type Account = Pick<Origin, "channel" | "accountId">;

/** Rows that are given up together. */
export interface Discard {
  /** Rows that were given up so far, without previews. */
  count: number;
}

/** Removed accounts: the next account of the same name must not send their rows. */
export class DiscardedAccounts {
  readonly #closing: AbortSignal;
  readonly #isConfigured: (account: Account) => boolean;
  /** Accounts that have not been configured again. */
  readonly #accounts = new Set<string>();
  /** Rows that waited when their account was removed, by id: they end even if the account is configured again before. */
  readonly #rows = new Map<string, Discard>();
  readonly #waits = new Map<string, { readonly removed: AbortController; readonly signal: AbortSignal }>();

  constructor(closing: AbortSignal, isConfigured: (account: Account) => boolean) {
    this.#closing = closing;
    this.#isConfigured = isConfigured;
  }

  /** Fires when the account is removed, and when delivery closes: for what its rows wait for. */
  signalOf(account: Account): AbortSignal {
    const key = keyOf(account);
    const known = this.#waits.get(key);
    if (known !== undefined) return known.signal;
    const removed = new AbortController();
    const signal = AbortSignal.any([this.#closing, removed.signal]);
    this.#waits.set(key, { removed, signal });
    return signal;
  }

  /** Marks the rows of an account, and those that come until it is configured again. */
  add(account: Account, rows: readonly OutboxRecord[]): Discard {
    const key = keyOf(account);
    const discard = { count: 0 };
    this.#accounts.add(key);
    for (const { id } of rows) this.#rows.set(id, discard);
    const waits = this.#waits.get(key);
    this.#waits.delete(key);
    waits?.removed.abort();
    return discard;
  }

  /** True if the row must not be sent. */
  has({ id, target }: OutboxRecord): boolean {
    if (this.#rows.has(id)) return true;
    const key = keyOf(target);
    if (!this.#accounts.has(key)) return false;
    if (!this.#isConfigured(target)) return true;
    this.#accounts.delete(key);
    return false;
  }

  /** The row was given up, or has ended otherwise. */
  settle({ id, purpose }: OutboxRecord, { isGivenUp }: { readonly isGivenUp: boolean }): void {
    const discard = this.#rows.get(id);
    this.#rows.delete(id);
    if (discard !== undefined && isGivenUp && purpose !== "preview") discard.count += 1;
  }
}

function keyOf({ channel, accountId }: Account): string {
  return JSON.stringify([channel, accountId]);
}
