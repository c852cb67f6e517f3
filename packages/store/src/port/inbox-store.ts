import type { MsgContext } from "@factotum/channel-contract";
import type { NewOutbound } from "./outbox-store.ts";
import type { Page } from "./page.ts";
import type { PendingCommit } from "./pending-commit.ts";
import type { InputAdmission, InputRecord, TerminalInputState } from "./inbox-records.ts";
import type { OutboxRecord } from "./outbox-records.ts";
import type { TranscriptBody, TranscriptEntry } from "./transcript-records.ts";

/** An input that was brought, and whether it was there before. */
export interface AcceptedInput {
  readonly type: "accepted" | "duplicate";
  readonly input: InputRecord;
}

/** What is said about inputs in the commit that ends them. */
export interface InputAnswer {
  readonly outbox?: readonly NewOutbound[];
  readonly transcript?: { readonly sessionId: string; readonly entries: readonly TranscriptBody[] };
}

/** What the end of inputs has stored. */
export interface SettledInputs {
  readonly outbox: readonly OutboxRecord[];
  readonly entries: readonly TranscriptEntry[];
}

/** Inputs, from their acceptance to their end, and the cursors of accounts. */
export interface InboxStore {
  /** Takes an input, once for (channel, account, conversation, event id), and the account's cursor with it (R2). */
  acceptInput(
    message: MsgContext,
    options: { readonly admission: InputAdmission; readonly receivedAtMs: number; readonly cursor?: string },
  ): Promise<AcceptedInput>;
  /** The same ahead of its commit. Nobody may be told that the input arrived before that. */
  acceptInputOptimistic(...parameters: Parameters<InboxStore["acceptInput"]>): Promise<PendingCommit<AcceptedInput>>;
  readCursor(channel: string, accountId: string): Promise<string | undefined>;
  /** Oldest first. */
  listInputs(filter: {
    readonly state: InputRecord["state"]["type"];
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<InputRecord>>;
  readInput(id: string): Promise<InputRecord | undefined>;
  /**
   * Counts one more attempt to begin the turn of inputs that an earlier process left waiting, and resolves with the highest count. The first attempt is not
   * written, so every input begins with one.
   */
  beginInputs(ids: readonly string[]): Promise<number>;
  /** Takes the attempt back of inputs that wait and are left in good order: it was not they that ended the process. */
  releaseInputs(ids: readonly string[]): Promise<void>;
  /** Ends inputs that get no turn. The rows of `outbox` name them. Entries for a session that was deleted meanwhile are left out. */
  settleInputs(ids: readonly string[], state: TerminalInputState, answer?: InputAnswer): Promise<SettledInputs>;
  /** Puts a dead input back to waiting, marked as replayed until it is claimed or settled. Rejects with `conflict` when it is not dead, with `damaged` when it cannot be read. */
  reviveInput(id: string): Promise<InputRecord>;
}
