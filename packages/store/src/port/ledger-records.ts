import type { AgentMessage, CacheRetention, RunKind, SystemPrompt, ThinkingLevel, ToolSchema, Usage } from "@factotum/agent-contract";

/**
 * One model request, by reference: its texts are the prompt and the transcript entries up to one of them, so that a thousand requests of a conversation cost a
 * thousand short rows. Written with the next commit of its turn: a crash before that loses the row.
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
  /** Absent for a request with a body of its own, and if the prompt was damaged and removed. */
  readonly promptHash?: string;
  /** The last entry in the request. Stored as empty if no entry could be read; that reads back as a position before every entry. */
  readonly lastEntryId: string;
  /** The number of messages sent and their digest, to verify a later reconstruction. */
  readonly messages: { readonly count: number; readonly digest: string };
  readonly view: RequestView;
  /** Reference of the model that was asked. */
  readonly model: string;
  /** Where its key came from, such as a profile; never the key itself. */
  readonly credential?: string;
  readonly settings: RequestSettings;
  /** Named causes and cache breaks of the request. */
  readonly causes: readonly string[];
  readonly usage: Usage;
  readonly outcome: RequestOutcome;
  readonly sentAtMs: number;
  readonly durationMs: number;
}

/** What a stored request has used, and for whom. */
export interface RequestUsage extends Pick<RequestRecord, "id" | "kind" | "model" | "usage" | "outcome" | "sentAtMs"> {
  readonly sessionKey: string;
  readonly agentId: string;
  /** The channel of its turn; absent if the turn's address is damaged. */
  readonly channel?: string;
}

/** The texts of a request that is not made from its conversation. */
export interface RequestBody {
  readonly system: SystemPrompt;
  readonly messages: readonly AgentMessage[];
  readonly tools: readonly ToolSchema[];
}

/** How the history was projected: the same values over the same entries give the same messages. */
export interface RequestView {
  /** Entries older than this were rendered again at a named cause. */
  readonly settledBeforeMs: number;
  /** Context window, in tokens, that tool results were cut for. */
  readonly contextWindow: number;
  readonly prunes: boolean;
  /** Maximum number of user turns that were sent. */
  readonly historyLimit?: number;
}

/** Settings of a request in addition to its texts. */
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

/** The usage of one agent for one cause on one day. */
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

/** An amount to add to such a record. */
export interface SpendCharge extends SpendRecord {
  /** The tree of sub-agents whose budget it uses, too. */
  readonly treeId?: string;
}

/** What a tree of sub-agents has used. */
export interface TreeSpend {
  readonly tokens: number;
  /** US dollars; calls without a known price count nothing. */
  readonly costUsd: number;
}
