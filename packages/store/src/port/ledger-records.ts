import type { AgentMessage, CacheRetention, RunKind, SystemPrompt, ThinkingLevel, ToolSchema, Usage } from "@factotum/agent-contract";

/**
 * One request to a model, by reference: its texts are the prompt and the entries of the transcript up to one of them, so that a thousand
 * requests of a conversation cost a thousand short rows. Written with the next commit of its turn: a crash before that loses the row.
 */
export interface RequestRecord {
  /** Sorts in the order of sending. */
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly turnNumber: number;
  readonly kind: RunKind;
  /** Counts the requests of the turn, from 1. */
  readonly number: number;
  /** Absent for a request with a body of its own, and when the prompt was damaged and is gone. */
  readonly promptHash?: string;
  /** The last entry that was in it. When none could be read it is written empty, and read as a place before every entry. */
  readonly lastEntryId: string;
  /** How many messages were sent, and a fingerprint of them: what is rebuilt later is compared with it. */
  readonly messages: { readonly count: number; readonly digest: string };
  readonly view: RequestView;
  /** Reference of the model that was asked. */
  readonly model: string;
  /** Where its key came from; never the key. */
  readonly credential?: string;
  readonly settings: RequestSettings;
  /** Named causes and breaks that held for it. */
  readonly causes: readonly string[];
  readonly usage: Usage;
  readonly outcome: RequestOutcome;
  readonly sentAtMs: number;
  readonly durationMs: number;
}

/** The texts of a request that is not made of its conversation. */
export interface RequestBody {
  readonly system: SystemPrompt;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolSchema[];
}

/** How the history was shown: the same values over the same entries give the same messages. */
export interface RequestView {
  /** What is older was shown as a named cause had rendered it anew. */
  readonly settledBeforeMs: number;
  /** Tokens of the window that tool results were cut for. */
  readonly contextWindow: number;
  readonly prunes: boolean;
  /** User turns that were shown at most. */
  readonly historyLimit?: number;
}

/** What a request asked for beside its texts. */
export interface RequestSettings {
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  readonly showThoughts?: boolean;
  readonly cacheKey?: string;
  readonly cacheRetention?: CacheRetention;
}

/** How a request ended. */
export type RequestOutcome =
  | { readonly type: "answered"; readonly stopReason: string }
  | { readonly type: "failed"; readonly code: string; readonly message: string };

/** What one agent has used for one cause on one day. */
export interface SpendRecord {
  /** The local day of the agent's user, `YYYY-MM-DD`. */
  readonly day: string;
  readonly agentId: string;
  readonly cause: RunKind;
  readonly calls: number;
  readonly tokens: number;
  /** US dollars; absent while no call had a known price. */
  readonly costUsd?: number;
}

/** What is added to such a record. */
export type SpendCharge = SpendRecord;
