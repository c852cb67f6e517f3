import type { RunKind, UsageTotals } from "@factotum/agent-contract";
import type { MessageId, Origin } from "@factotum/channel-contract";

/** One turn: the work on one input, or on several that were merged. Its id is the run id. */
export interface TurnRecord {
  readonly id: string;
  /** Counts the turns of the session id, from 1. */
  readonly number: number;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: RunKind;
  /** Where the replies go. Copied from the input and never changed. */
  readonly origin: Origin;
  readonly owner: boolean;
  readonly inputIds: readonly string[];
  readonly replyTo?: MessageId;
  readonly state: "running" | "done" | "aborted" | "failed";
  /**
   * Attempts since its last committed entry, including the current one; every committed entry resets it to one. A process that stops cleanly takes its own
   * attempt back.
   */
  readonly attempts: number;
  /** Attempts in total. For a turn that is resumed at start, this is the number of crashes that interrupted it. */
  readonly starts: number;
  /** Of those, attempts as the only resumed turn: a crash during one is most likely its own. */
  readonly soloStarts: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly usage: UsageTotals;
  /** Of an ended turn: its model was given no text of others (R23). Absent: it was, or this is not known. */
  readonly untainted?: true;
  /** For `failed`: code and message. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** The state of a turn; readable even if its address is damaged. */
export type TurnState = Pick<TurnRecord, "id" | "kind" | "state" | "attempts" | "starts" | "failure">;

/** The journal of one tool call: a started call may have run. */
export interface ToolJournalRecord {
  readonly turnId: string;
  readonly callId: string;
  readonly name: string;
  readonly state: "started" | "finished";
}
