import { afterEach, beforeEach, describe } from "vitest";
import { describeAccountState } from "./account-state.ts";
import { describeApprovals } from "./approvals.ts";
import { describeBranches } from "./branches.ts";
import { describeCheckpoints } from "./checkpoints.ts";
import type { ContractContext, StoreFixture } from "./contract-context.ts";
import { describeOptimisticWrites } from "./optimistic-writes.ts";
import { describeDeadLetters } from "./dead-letters.ts";
import { describeDurability } from "./durability.ts";
import { describeInbox } from "./inbox.ts";
import { describeJobs } from "./jobs.ts";
import { describeMaintenance } from "./maintenance.ts";
import { describeMoves } from "./moves.ts";
import { describeOutbox } from "./outbox.ts";
import { describePairings } from "./pairings.ts";
import { describeRandomOperations } from "./random-operations.ts";
import { describeRequests } from "./requests.ts";
import { describeSessions } from "./sessions.ts";
import { describeSpawns } from "./spawns.ts";
import { describeSpend } from "./spend.ts";
import { describeCommands } from "./commands.ts";
import { describeExchanges } from "./exchanges.ts";
import { describeFocuses } from "./focuses.ts";
import { describeNoteEntries } from "./note-entries.ts";
import { describeTaintedBlocks } from "./tainted-blocks.ts";
import { describeTranscript } from "./transcript.ts";
import { describeTurns } from "./turns.ts";

/** The contract of every store, regardless of where it keeps its state. */
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
    describeAccountState(context);
    describeApprovals(context);
    describeCheckpoints(context);
    describeInbox(context);
    describeJobs(context);
    describeMoves(context);
    describePairings(context);
    describeTurns(context);
    describeOptimisticWrites(context);
    describeRequests(context);
    describeSessions(context);
    describeMaintenance(context);
    describeSpawns(context);
    describeSpend(context);
    describeCommands(context);
    describeExchanges(context);
    describeFocuses(context);
    describeTaintedBlocks(context);
    describeNoteEntries(context);
    describeTranscript(context);
    describeBranches(context);
    describeOutbox(context);
    describeDeadLetters(context);
    describeDurability(context);
    describeRandomOperations(createFixture);
  });
}
