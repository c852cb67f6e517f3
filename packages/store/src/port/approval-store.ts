import type { JsonObject } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";

/** A decision on a call. `allow-session`: equal calls of the same conversation too. `allow-always`: equal calls of the same agent too. */
export type ApprovalDecision = "allow-once" | "allow-session" | "allow-always" | "deny";

/**
 * `pending`: its turn waits for the decision. `parked`: its turn went on without it, so a decision to allow runs the call on its own. `running`: that call has
 * been started, and its result is not delivered yet. The others are final; `withdrawn` by a stop or a reset, or a grant that was taken back.
 */
export type ApprovalState = "pending" | "parked" | "running" | "decided" | "expired" | "withdrawn";

/** A tool call that needs the owner's decision, or the user's answer. */
export interface NewApproval {
  /** Short, for people to type. */
  readonly id: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly arguments: JsonObject;
  /** Digest of everything that decides what the call does; a decision counts for calls with the same one alone. */
  readonly binding: string;
  /** The action in one line or a few, for the owner. */
  readonly text: string;
  /** The rule that asks. */
  readonly reason: string;
  /** The address of the turn. */
  readonly origin: Origin;
  /** Wall clock, milliseconds. */
  readonly expiresAtMs: number;
  /** The call is a question to the user, which is answered and not decided on. */
  readonly isQuestion?: true;
  /** A decision holds for this call alone: it is allowed once, or denied. */
  readonly onceOnly?: true;
  /** Which sub-agent asks, and who asked, where and in which folder, for the owner; absent if the owner asked in a direct conversation, without a sub-agent. */
  readonly askedIn?: string;
}

/** The user's answer to a question. */
export interface QuestionAnswer {
  readonly text: string;
  /** It holds text of others than the owner (R23). */
  readonly untrusted: boolean;
}

/** A stored call with the state of its decision. */
export interface ApprovalRecord extends NewApproval {
  readonly state: ApprovalState;
  readonly decision?: ApprovalDecision;
  /** Of a question. */
  readonly answer?: QuestionAnswer;
  readonly requestedAtMs: number;
  readonly decidedAtMs?: number;
}

/** Equal calls that need no further decision. */
export interface GrantQuery {
  readonly binding: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** A decision for one call of this turn counts, too. */
  readonly turnId?: string;
}

/** Decisions of the owner on tool calls. */
export interface ApprovalStore {
  /** Stores a call that waits. A call of a turn that is stored already keeps its row, which is returned. Rejects with `conflict` if another one has the id. */
  requestApproval(approval: NewApproval, options: { readonly nowMs: number }): Promise<ApprovalRecord>;
  readApproval(id: string): Promise<ApprovalRecord | undefined>;
  /** Calls in one of these states, oldest first, at most 1,000. */
  listApprovals(states: readonly ApprovalState[]): Promise<readonly ApprovalRecord[]>;
  /** The calls and questions of a turn that were kept, oldest first, at most 1,000. */
  listTurnApprovals(turnId: string): Promise<readonly ApprovalRecord[]>;
  /** Decisions for later calls, oldest first, at most 1,000. */
  listGrants(): Promise<readonly ApprovalRecord[]>;
  /** The decision that allows an equal call for the agent or for the conversation; the newest of several. */
  findGrant(query: GrantQuery): Promise<ApprovalRecord | undefined>;
  /**
   * Stores the decision on a call that is pending or parked; allowing a parked one makes it `running`. Rejects with `not-found` if no such call has the id, or if
   * it has expired, or if it is a question.
   */
  decideApproval(id: string, options: { readonly decision: ApprovalDecision; readonly nowMs: number }): Promise<ApprovalRecord>;
  /** Stores the answer to a question that is pending, which is `decided` then. Rejects with `not-found` if no such question has the id, or if it has expired. */
  answerQuestion(id: string, options: { readonly answer: QuestionAnswer; readonly nowMs: number }): Promise<ApprovalRecord>;
  /** Moves a call from one of these states to another; `undefined` if it is in none of them. */
  moveApproval(
    id: string,
    change: { readonly from: readonly ApprovalState[]; readonly to: Exclude<ApprovalState, "pending">; readonly nowMs: number },
  ): Promise<ApprovalRecord | undefined>;
}
