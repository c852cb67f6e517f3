import type { AccountProgress, AccountRow, AccountValue, Origin } from "@factotum/channel-contract";

/** One account of one channel. */
export type AccountKey = Pick<Origin, "channel" | "accountId">;

/** What the accounts of channels keep over restarts: a cursor and rows of state. Rows that have expired count as absent. */
export interface AccountStore {
  /** Commits progress that came without an input, whole or not at all. Rejects with `invalid` for a bad key and over a limit of the account's state. */
  commitProgress(account: AccountKey, progress: AccountProgress): Promise<void>;
  readCursor(account: AccountKey): Promise<string | undefined>;
  readAccountState(account: AccountKey, key: string): Promise<AccountValue | undefined>;
  /** Sorted by key. */
  listAccountState(account: AccountKey, prefix: string): Promise<readonly AccountRow[]>;
}
