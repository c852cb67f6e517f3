import type { AccountProgress, AccountRow, AccountValue, Origin } from "@factotum/channel-contract";
import type { ConversationMove } from "./move-records.ts";

/** One account of one channel. */
export type AccountKey = Pick<Origin, "channel" | "accountId">;

/** State of channel accounts that survives restarts: a cursor and rows. Expired rows count as absent. */
export interface AccountStore {
  /** Commits progress without an input, as a whole or not at all. Rejects with `invalid` for a bad key, and if a limit of the account's state is exceeded. */
  commitProgress(account: AccountKey, progress: AccountProgress): Promise<void>;
  readCursor(account: AccountKey): Promise<string | undefined>;
  readAccountState(account: AccountKey, key: string): Promise<AccountValue | undefined>;
  /** Sorted by key. */
  listAccountState(account: AccountKey, prefix: string): Promise<readonly AccountRow[]>;
  /** The moved conversations of all accounts, in the order of their moves. */
  listMoves(): Promise<readonly ConversationMove[]>;
}
