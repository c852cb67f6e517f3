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
   * Attempts since it last committed an entry, the current one included, so it returns to one with every committed entry. A process that stops cleanly
   * takes its own attempt back.
   */
  readonly attempts: number;
  /** Attempts in all. With a turn that is resumed at start, this is the number of crashes that interrupted it. */
  readonly starts: number;
  /** Of those, attempts as the only resumed turn: a crash during one is most likely its own. */
  readonly soloStarts: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly usage: UsageTotals;
  /** For `failed`: code and message. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** How a turn stands; known also of one whose address was damaged. */
export type TurnState = Pick<TurnRecord, "id" | "kind" | "state" | "attempts" | "starts" | "failure">;

/** One tool call's journal: what was started is known to have perhaps run. */
export interface ToolJournalRecord {
  readonly turnId: string;
  readonly callId: string;
  readonly name: string;
  readonly state: "started" | "finished";
}
