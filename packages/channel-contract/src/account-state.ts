/** A value of an account's state: JSON, or bytes. */
export type AccountValue = { readonly type: "json"; readonly json: unknown } | { readonly type: "bytes"; readonly bytes: Uint8Array };

/** One row of an account's state. */
export interface AccountRow {
  readonly key: string;
  readonly value: AccountValue;
}

/** How a row is kept. */
export interface AccountRowOptions {
  /** A login or a key: left out of backups without secrets. False by default. */
  readonly isSecret?: boolean;
  /** Milliseconds since the epoch at which the row expires and counts as absent. Without it the row stays until it is deleted. */
  readonly expiresAtMs?: number;
}

/** One change of an account's state. */
export type AccountChange =
  | ({ readonly type: "set"; readonly key: string; readonly value: AccountValue } & AccountRowOptions)
  | { readonly type: "delete"; readonly key: string };

/** Progress of an account: committed in one transaction, with a message or alone. */
export interface AccountProgress {
  /** The position in the platform's stream of events. */
  readonly cursor?: string;
  /** Applied in order. */
  readonly state?: readonly AccountChange[];
}

/** Limits of an account's state. A change that exceeds one is refused as a whole, with a `RangeError` that names the limit. */
export const ACCOUNT_STATE_LIMITS: {
  /** UTF-16 units of a key; a key is well-formed and not empty. */
  readonly keyLength: number;
  /** Bytes of one value: its bytes, or its JSON as UTF-8. */
  readonly valueBytes: number;
  /** Bytes of all keys and values of an account. */
  readonly totalBytes: number;
} = { keyLength: 512, valueBytes: 4 * 1024 * 1024, totalBytes: 64 * 1024 * 1024 };

/**
 * State of an account that survives restarts: session data to resume a connection, logins, stores of end-to-end encryption, long callback payloads, names of
 * topics. Only this account can access it. Every method that changes something resolves once the change is on disk.
 */
export interface AccountState {
  /** `undefined` if the row does not exist or has expired. */
  get(key: string): Promise<AccountValue | undefined>;
  /** The rows whose key starts with `prefix`, sorted by key in code unit order; all with an empty prefix. */
  list(prefix: string): Promise<readonly AccountRow[]>;
  set(key: string, value: AccountValue, options?: AccountRowOptions): Promise<void>;
  /** No error if there is no such row. */
  delete(key: string): Promise<void>;
}
