import type { Store } from "../src/index.ts";

/** One state that can be opened again and again, as by one process after another. */
export interface StoreFixture {
  /** Opens the state; a store that is still open from before loses it. */
  open(): Promise<Store>;
  /** Rows that the store last opened has read. */
  rowsRead(): number;
  /** Closes what is open and removes the state. */
  remove(): Promise<void>;
}

/** What a group of the contract's tests works with. */
export interface ContractContext {
  /** A store over a new, empty state. */
  readonly store: Store;
  readonly fixture: StoreFixture;
}
