import type { RunKind } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { InputAuthor, TaskBounds, RunConfinement, TreeBudget } from "./inbox-records.ts";

/** A message from one session to another, with the replies that follow, until it ends. */
export interface ExchangeRecord {
  readonly id: string;
  readonly startedAtMs: number;
  readonly requester: { readonly sessionKey: string; readonly agentId: string; readonly channel?: string };
  /** `origin`: the chat of the session itself, which the exchange may be announced to. Fixed when it begins. */
  readonly target: { readonly sessionKey: string; readonly agentId: string; readonly origin?: Origin };
  /** The first message. */
  readonly request: string;
  /** The sessions that it came through, oldest first; the requester is the last one. */
  readonly path: readonly string[];
  /** The authority of the requesting turn, which no step exceeds. */
  readonly authority: {
    readonly owner: boolean;
    readonly isListedOwner?: true;
    /** The person whose message originally started it. */
    readonly author: InputAuthor;
    /** The requesting turn had been given text of others (R23). */
    readonly tainted?: true;
    /** The kind of run that originally started it. */
    readonly cause: RunKind;
    /** What the requesting turn was bound to. */
    readonly job?: TaskBounds;
    /** The requesting turn was sandboxed. */
    readonly confinement?: RunConfinement;
    /** The tree of sub-agents that the requesting turn belongs to. */
    readonly tree?: TreeBudget;
  };
  /** Replies at most. 1: the requester does not wait, or nothing follows the first reply. */
  readonly maxTurns: number;
  /** Replies so far. */
  readonly turn: number;
  readonly firstReply?: string;
  readonly latestReply?: string;
  /** `announce`: the only step left is the announcement to the target's chat. */
  readonly phase: "talk" | "announce";
}

/** Open exchanges between sessions. */
export interface ExchangeStore {
  /** Adds one, or replaces that with its id. */
  putExchange(exchange: ExchangeRecord): Promise<void>;
  /** Oldest first. A damaged one is excluded and reported. */
  listExchanges(): Promise<readonly ExchangeRecord[]>;
  /** No-op for an unknown id. */
  removeExchange(id: string): Promise<void>;
}
