import type { ThinkingLevel, UsageTotals } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";

/** One session: the current conversation under a key. `sessionId` changes with every reset, the key never. */
export interface SessionRecord {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly createdAtMs: number;
  /** When this session id began. */
  readonly startedAtMs: number;
  /** The last message of a person, or the end of the turn it began; system events, heartbeats and cron runs do not count. */
  readonly interactedAtMs: number;
  readonly updatedAtMs: number;
  /** Every sender so far was the owner, and it is no group's session. */
  readonly isPrivate: boolean;
  /** Where the last turn came from; for display only, nothing is delivered by it. */
  readonly lastOrigin?: Origin;
  readonly displayName: string;
  readonly label?: string;
  readonly spawnedBy?: string;
  readonly overrides: SessionOverrides;
  readonly usage: UsageTotals;
  readonly compactionCount: number;
  readonly memoryFlushAtMs?: number;
  readonly lastHeartbeat?: { readonly text: string; readonly sentAtMs: number };
  /** When its conversation was brought in from elsewhere: it is as fresh as if it had begun then, and its words may be anybody's. */
  readonly importedAtMs?: number;
  /** The owner trusts text of others that this conversation holds; a reset forgets it. */
  readonly trust?: SessionTrust;
  /** The session goes away by itself at this time (requests without a session). */
  readonly expiresAtMs?: number;
}

/** Which text of others the owner trusts: what stands in the conversation up to an entry, that one included, or everything until the next reset. */
export type SessionTrust = { readonly type: "until"; readonly entryId: string } | { readonly type: "session" };

/** What was said under one session id: a session has as many as it has begun anew, and one more. */
export interface ConversationRecord {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  /** Its last entry, or its beginning. */
  readonly activeAtMs: number;
  /** The session has begun another one since. */
  readonly isEnded: boolean;
  /** Size of its plain file, as far as the store knows it: it learns of it with its next commit. */
  readonly copyBytes: number;
}

/** Settings of one session that stand above the configuration. */
export interface SessionOverrides {
  readonly thinking?: ThinkingLevel;
  readonly verbose?: "off" | "on" | "full";
  readonly reasoning?: "off" | "on" | "stream";
  readonly elevated?: "off" | "on" | "full";
  readonly tts?: "off" | "always" | "inbound" | "tagged";
  /** A model reference. */
  readonly model?: string;
  readonly authProfile?: string;
  readonly sendPolicy?: "allow" | "deny";
  readonly activation?: "mention" | "always";
  readonly queue?: {
    readonly mode?: "steer" | "followup" | "collect" | "interrupt";
    readonly debounceMs?: number;
    readonly cap?: number;
    readonly drop?: "summarize" | "old" | "new";
  };
}
