import { ACCOUNT_STATE_LIMITS } from "@factotum/channel-contract";
import type { AccountChange, AccountProgress, AccountRow, AccountValue } from "@factotum/channel-contract";
import type { AccountKey } from "../../port/account-store.ts";
import { StoreError } from "../../port/store-error.ts";
import { checkKey } from "../values/check-key.ts";
import { checksum, parseChecked } from "../values/checksum.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** A value as it is stored; bytes are base64. */
type StoredValue = { readonly json: unknown } | { readonly base64: string };

/** Recounts the state of accounts, after rows were removed by other means than this table. */
export const COUNT_ACCOUNT_STATE = `DELETE FROM account_usage;
  INSERT INTO account_usage SELECT channel, account, sum(bytes) FROM account_state GROUP BY channel, account;`;

const UNEXPIRED = "(expires_at IS NULL OR expires_at > ?)";

/** State of channel accounts that survives restarts: a cursor and rows. */
export class AccountTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  commit(account: AccountKey, { cursor, state = [] }: AccountProgress): void {
    checkKey("The channel", account.channel);
    checkKey("The account", account.accountId);
    if (cursor !== undefined) this.#saveCursor(account, cursor);
    for (const change of state) this.#apply(account, change);
    if (state.length > 0) this.#checkTotal(account);
  }

  readCursor({ channel, accountId }: AccountKey): string | undefined {
    const row = this.#context.database.get("SELECT cursor FROM cursors WHERE channel = ? AND account = ?", channel, accountId);
    return row === undefined ? undefined : textOf(row, "cursor");
  }

  read({ channel, accountId }: AccountKey, key: string): AccountValue | undefined {
    const row = this.#context.database.get(
      `SELECT * FROM account_state WHERE channel = ? AND account = ? AND key = ? AND ${UNEXPIRED}`,
      channel,
      accountId,
      key,
      this.#context.clock.now(),
    );
    return row === undefined ? undefined : this.#decode(row);
  }

  list({ channel, accountId }: AccountKey, prefix: string): readonly AccountRow[] {
    const rows = this.#context.database.all(
      `SELECT * FROM account_state WHERE channel = ? AND account = ? AND key >= ? AND substr(key, 1, length(?)) = ? AND ${UNEXPIRED}`,
      channel,
      accountId,
      prefix,
      prefix,
      prefix,
      this.#context.clock.now(),
    );
    const found = rows.flatMap((row) => {
      const value = this.#decode(row);
      return value === undefined ? [] : [{ key: textOf(row, "key"), value }];
    });
    // SQLite sorts by UTF-8 bytes, which differs for characters outside the basic plane.
    return found.toSorted((left, right) => (left.key < right.key ? -1 : 1));
  }

  /** Removes at most `limit` expired rows, and returns how many. */
  pruneExpired(nowMs: number, limit: number): number {
    const rows = this.#context.database.all(
      "SELECT id, channel, account, key FROM account_state WHERE expires_at IS NOT NULL AND expires_at <= ? LIMIT ?",
      nowMs,
      limit,
    );
    for (const row of rows) this.#remove({ channel: textOf(row, "channel"), accountId: textOf(row, "account") }, textOf(row, "key"));
    return rows.length;
  }

  #saveCursor({ channel, accountId }: AccountKey, cursor: string): void {
    this.#context.database.run(
      "INSERT INTO cursors (channel, account, cursor) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor",
      channel,
      accountId,
      checkKey("The cursor", cursor),
    );
  }

  #apply(account: AccountKey, change: AccountChange): void {
    checkKey("The key of a row of state", change.key);
    if (change.key === "" || change.key.length > ACCOUNT_STATE_LIMITS.keyLength)
      throw new StoreError(
        "invalid",
        `The key of a row of state has 1 to ${ACCOUNT_STATE_LIMITS.keyLength} characters, not ${change.key.length}.`,
      );
    this.#remove(account, change.key);
    if (change.type === "set") this.#insert(account, change);
  }

  #insert(account: AccountKey, { key, value, isSecret = false, expiresAtMs }: Extract<AccountChange, { type: "set" }>): void {
    const { payload, bytes } = encode(key, value);
    if (bytes > ACCOUNT_STATE_LIMITS.valueBytes)
      throw new StoreError("invalid", `The value of "${key}" has ${bytes} bytes; a value has at most ${ACCOUNT_STATE_LIMITS.valueBytes}.`);
    const size = bytes + Buffer.byteLength(key);
    this.#context.database.run(
      "INSERT INTO account_state (channel, account, key, bytes, is_secret, expires_at, payload, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      account.channel,
      account.accountId,
      key,
      size,
      isSecret ? 1 : 0,
      expiresAtMs ?? null,
      payload,
      checksum(payload, [account.channel, account.accountId, key]),
    );
    this.#charge(account, size);
  }

  #remove(account: AccountKey, key: string): void {
    const { channel, accountId } = account;
    const removed = this.#context.database.get(
      "DELETE FROM account_state WHERE channel = ? AND account = ? AND key = ? RETURNING bytes",
      channel,
      accountId,
      key,
    );
    if (removed !== undefined) this.#charge(account, -numberOf(removed, "bytes"));
  }

  #charge({ channel, accountId }: AccountKey, bytes: number): void {
    this.#context.database.run(
      "INSERT INTO account_usage (channel, account, bytes) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes",
      channel,
      accountId,
      bytes,
    );
  }

  #checkTotal({ channel, accountId }: AccountKey): void {
    const row = this.#context.database.get("SELECT bytes FROM account_usage WHERE channel = ? AND account = ?", channel, accountId);
    const total = row === undefined ? 0 : numberOf(row, "bytes");
    if (total > ACCOUNT_STATE_LIMITS.totalBytes)
      throw new StoreError("invalid", `The account would keep ${total} bytes of state; it may keep ${ACCOUNT_STATE_LIMITS.totalBytes}.`);
  }

  #decode(row: Row): AccountValue | undefined {
    const account = { channel: textOf(row, "channel"), accountId: textOf(row, "account") };
    const key = textOf(row, "key");
    try {
      const stored = parseChecked<StoredValue>(row["payload"], row["sum"], [account.channel, account.accountId, key]);
      return "base64" in stored
        ? { type: "bytes", bytes: new Uint8Array(Buffer.from(stored.base64, "base64")) }
        : { type: "json", json: stored.json };
    } catch (error) {
      if (!StoreError.isInstance(error)) throw error;
      this.#context.quarantine({ type: "account-state", id: `${account.channel}:${account.accountId} ${key}` }, () =>
        this.#remove(account, key),
      );
      return undefined;
    }
  }
}

function encode(key: string, value: AccountValue): { readonly payload: string; readonly bytes: number } {
  if (value.type === "bytes")
    return {
      payload: JSON.stringify({ base64: Buffer.from(value.bytes).toString("base64") } satisfies StoredValue),
      bytes: value.bytes.length,
    };
  const json = JSON.stringify(value.json) as string | undefined;
  if (json === undefined) throw new StoreError("invalid", `The value of "${key}" is not JSON.`);
  return { payload: `{"json":${json}}`, bytes: Buffer.byteLength(json) };
}
