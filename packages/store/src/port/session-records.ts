import type { ThinkingLevel, UsageTotals } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";

/** One session: the current conversation under a key. Each reset changes `sessionId`, never the key. */
export interface SessionRecord {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly createdAtMs: number;
  /** When this session id began. */
  readonly startedAtMs: number;
  /** The last message of a person, or the end of the turn it started; system events, heartbeats and cron runs do not count. */
  readonly interactedAtMs: number;
  readonly updatedAtMs: number;
  /** Every sender so far was the owner, and it is not a group session. */
  readonly isPrivate: boolean;
  /** Where the last turn came from; for display only, never used for delivery. */
  readonly lastOrigin?: Origin;
  readonly displayName: string;
  readonly label?: string;
  readonly spawnedBy?: string;
  readonly overrides: SessionOverrides;
  readonly usage: UsageTotals;
  /** Of the conversations before the last reset; absent without any. */
  readonly earlierUsage?: UsageTotals;
  readonly compactionCount: number;
  readonly memoryFlushAtMs?: number;
  readonly lastHeartbeat?: { readonly text: string; readonly sentAtMs: number };
  /** When its conversation was imported: it is as fresh as if it had begun then, and its text may come from anyone. */
  readonly importedAtMs?: number;
  /** The owner trusts the untrusted text in this conversation; a reset ends that. */
  readonly trust?: SessionTrust;
  /** When the session expires (requests without a session). */
  readonly expiresAtMs?: number;
}

/** Which untrusted text the owner trusts: everything up to an entry (inclusive), or everything until the next reset. */
export type SessionTrust = { readonly type: "until"; readonly entryId: string } | { readonly type: "session" };

/** The conversation under one session id: a session has one more than it has had resets. */
export interface ConversationRecord {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  /** Time of its last entry, or of its start. */
  readonly activeAtMs: number;
  /** The session was reset since. */
  readonly isEnded: boolean;
  /** Of a conversation that has not ended: every sender so far was the owner, and it is not a group session. */
  readonly isPrivate?: boolean;
  /** Absent: it has no entry. */
  readonly lastEntryId?: string;
  /** The first entry that a request still contains; absent: it was never summarised. */
  readonly keptFromId?: string;
  /** Size of its plain file as last stored; updated with the next commit. */
  readonly copyBytes: number;
}

/** Settings of one session that override the configuration. */
export interface SessionOverrides {
  readonly thinking?: ThinkingLevel;
  readonly verbose?: "off" | "on" | "full";
  readonly reasoning?: "off" | "on" | "stream";
  readonly elevated?: "off" | "on" | "full";
  /** Which tool calls run; absent: as configured. */
  readonly mode?: "read-only" | "workspace" | "full";
  readonly tts?: "off" | "always" | "inbound" | "tagged";
  /** The folder in which the owner's runs work instead of the agent's workspace: absolute, symbolic links resolved. */
  readonly workspace?: string;
  /** A model reference. */
  readonly model?: string;
  readonly authProfile?: string;
  /** What an external agent calls the conversation `sessionId`. */
  readonly external?: { readonly agent: string; readonly sessionId: string; readonly id: string };
  readonly sendPolicy?: "allow" | "deny";
  /** Kept at the top of lists. */
  readonly pinned?: true;
  /** Not shown among the others, until a person writes in it. */
  readonly archived?: true;
  readonly activation?: "mention" | "always";
  readonly queue?: {
    readonly mode?: "steer" | "followup" | "collect" | "interrupt";
    readonly debounceMs?: number;
    readonly cap?: number;
    readonly drop?: "summarize" | "old" | "new";
  };
}
