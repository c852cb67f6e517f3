import { ACCOUNT_STATE_LIMITS } from "@factotum/channel-contract";
import type { AccountChange, AccountRow, AccountRowOptions, AccountState, AccountValue } from "@factotum/channel-contract";

interface StoredRow extends AccountRowOptions {
  /** As JSON, the form in which the gateway stores it: a value that JSON cannot represent is invalid. */
  readonly text: string;
}

/** An account's state in memory, with the limits of the contract. */
export class MemoryAccountState implements AccountState {
  readonly #now: () => number;
  #rows: ReadonlyMap<string, StoredRow> = new Map();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Keys of the rows that are marked as secret. */
  get secretKeys(): readonly string[] {
    return [...this.#rows].filter(([, row]) => row.isSecret === true).map(([key]) => key);
  }

  get(key: string): Promise<AccountValue | undefined> {
    const row = this.#rows.get(key);
    return Promise.resolve(row === undefined || this.#isExpired(row) ? undefined : parse(row.text));
  }

  list(prefix: string): Promise<readonly AccountRow[]> {
    const rows = [...this.#rows].filter(([key, row]) => key.startsWith(prefix) && !this.#isExpired(row));
    return Promise.resolve(
      rows.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([key, { text }]) => ({ key, value: parse(text) })),
    );
  }

  async set(key: string, value: AccountValue, options: AccountRowOptions = {}): Promise<void> {
    this.apply([{ type: "set", key, value, ...options }]);
  }

  async delete(key: string): Promise<void> {
    this.apply([{ type: "delete", key }]);
  }

  /** Applies all changes or none; throws a RangeError over a limit. */
  apply(changes: readonly AccountChange[]): void {
    const rows = new Map(this.#rows);
    for (const change of changes) {
      const { key } = change;
      if (key === "" || key.length > ACCOUNT_STATE_LIMITS.keyLength || key.includes("\u0000") || !key.isWellFormed())
        throw new RangeError(`${JSON.stringify(key)} cannot be the key of a row of state.`);
      if (change.type === "delete") rows.delete(key);
      else {
        const { type: _type, key: _key, value, ...options } = change;
        rows.set(key, { ...options, text: render(key, value) });
      }
    }
    const total = [...rows].reduce((sum, [key, { text }]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text), 0);
    if (total > ACCOUNT_STATE_LIMITS.totalBytes)
      throw new RangeError(`An account keeps at most ${ACCOUNT_STATE_LIMITS.totalBytes} bytes of state.`);
    this.#rows = rows;
  }

  #isExpired({ expiresAtMs }: StoredRow): boolean {
    return expiresAtMs !== undefined && expiresAtMs <= this.#now();
  }
}

function render(key: string, value: AccountValue): string {
  if (value.type === "json" && JSON.stringify(value.json) === undefined) throw new RangeError(`The value of "${key}" is not JSON.`);
  const bytes = value.type === "bytes" ? value.bytes.length : Buffer.byteLength(JSON.stringify(value.json));
  if (bytes > ACCOUNT_STATE_LIMITS.valueBytes)
    throw new RangeError(`The value of "${key}" is over ${ACCOUNT_STATE_LIMITS.valueBytes} bytes.`);
  return JSON.stringify(value.type === "bytes" ? { base64: Buffer.from(value.bytes).toString("base64") } : { json: value.json });
}

function parse(text: string): AccountValue {
  const stored = JSON.parse(text) as { readonly json: unknown } | { readonly base64: string };
  return "base64" in stored
    ? { type: "bytes", bytes: new Uint8Array(Buffer.from(stored.base64, "base64")) }
    : { type: "json", json: stored.json };
}
