import { afterEach, beforeEach, describe } from "vitest";
import type { Store } from "../src/index.ts";
import { describeDurability } from "./durability.ts";
import { describeInbox } from "./inbox.ts";
import { describeOutbox } from "./outbox.ts";
import { describeRandomOperations } from "./random-operations.ts";
import { describeSessions } from "./sessions.ts";
import { describeTranscript } from "./transcript.ts";
import { describeTurns } from "./turns.ts";

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

/** Every store passes these tests, whatever it keeps its state in. */
export function storeContract(name: string, createFixture: () => Promise<StoreFixture>): void {
  describe(name, () => {
    let current: ContractContext | undefined;
    beforeEach(async () => {
      const fixture = await createFixture();
      current = { store: await fixture.open(), fixture };
    });
    afterEach(async () => {
      await current?.fixture.remove();
      current = undefined;
    });
    const context = (): ContractContext => {
      if (current === undefined) throw new Error("A contract test ran outside its fixture.");
      return current;
    };
    describeInbox(context);
    describeTurns(context);
    describeSessions(context);
    describeTranscript(context);
    describeOutbox(context);
    describeDurability(context);
    describeRandomOperations(createFixture);
  });
}
