import type { Store } from "../src/index.ts";

/** State that can be opened several times, as by successive processes. */
export interface StoreFixture {
  /** Opens the state; a store that is still open loses ownership. */
  open(): Promise<Store>;
  /** Rows that the store last opened has read. */
  rowsRead(): number;
  /** Closes what is open and removes the state. */
  remove(): Promise<void>;
}

/** The fixture that a group of contract tests works with. */
export interface ContractContext {
  /** A store over new, empty state. */
  readonly store: Store;
  readonly fixture: StoreFixture;
}
