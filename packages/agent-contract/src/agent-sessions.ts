import type { ToolCaller } from "./run.ts";
import type { SubagentState } from "./subagents.ts";

/** Kind of a session, for filters. */
export type AgentSessionKind = "main" | "group" | "cron" | "hook" | "node" | "other";

/** Names one session: by its key or a unique beginning of its id; by its label, which `agentId` may make unique; or the main session of `agentId`. */
export interface SessionReference {
  readonly sessionKey?: string | undefined;
  readonly label?: string | undefined;
  readonly agentId?: string | undefined;
}

/** Which sessions are listed. */
export interface SessionFilter {
  readonly kinds?: readonly AgentSessionKind[] | undefined;
  readonly agentId?: string | undefined;
  readonly label?: string | undefined;
  /** Part of a key, a label or a name; ignores case. */
  readonly search?: string | undefined;
  /** Only those that were active in this time. */
  readonly activeMinutes?: number | undefined;
  readonly limit: number;
  /** The newest messages of each. 0: none. */
  readonly messageLimit: number;
}

/** One message of a session, for a model. */
export interface SessionMessage {
  readonly atMs: number;
  readonly from: "user" | "assistant" | "tool-call" | "tool-result";
  /** Name of the person or of the tool, if it is known. */
  readonly name?: string;
  readonly text: string;
  /** May hold text of others than the owner (R23). */
  readonly untrusted: boolean;
}

/** One session that the caller may see. */
export interface ListedSession {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: AgentSessionKind;
  readonly label?: string;
  /** Absent where others than the owner may have chosen it, unless names were asked for. */
  readonly displayName?: string;
  readonly channel?: string;
  readonly model?: string;
  readonly contextTokens: number;
  readonly updatedAtMs: number;
  readonly state: "running" | "idle";
  /** Of the session of a sub-agent: what has become of it. */
  readonly subagent?: SubagentState;
  /** Oldest first. */
  readonly messages: readonly SessionMessage[];
  /** The name or a message may be text of others (R23). */
  readonly untrusted: boolean;
}

/** A page of the list, newest activity first. */
export interface SessionList {
  readonly sessions: readonly ListedSession[];
  /** There are more. */
  readonly isCut: boolean;
}

/** A page of the messages of a session, oldest first. */
export interface SessionHistoryPage {
  readonly key: string;
  readonly messages: readonly SessionMessage[];
  /** Leads to older messages; absent on the last page. */
  readonly cursor?: string;
  /** Something in it may be text of others (R23). */
  readonly untrusted: boolean;
}

/** An agent that the caller's agent may reach: its sessions, or to start it as a sub-agent. */
export interface ReachableAgent {
  readonly id: string;
  readonly name?: string;
  readonly isSelf: boolean;
  /** Its sessions are within reach. */
  readonly hasSessions: boolean;
  /** `sessions_spawn` may start it. */
  readonly isStartable: boolean;
  /** An external agent, which has no sessions. */
  readonly isExternal?: true;
}

/** What becomes of a message to another session. */
export type SessionSendOutcome =
  /** It was answered. Without a reply: the other session had nothing to say. `untrusted`: the reply may hold text of others (R23). */
  | { readonly type: "ok"; readonly sessionKey: string; readonly reply?: string; readonly untrusted: boolean }
  /** It is stored, and will be answered. `note`: why the call does not wait for the reply. */
  | { readonly type: "accepted"; readonly sessionKey: string; readonly note?: string }
  /** It is still being answered. */
  | { readonly type: "timeout"; readonly sessionKey: string }
  /** No session has that name, several have it, or it is out of reach: the caller is not told which. */
  | { readonly type: "not-found" }
  /** `message` says why, and what to do. */
  | { readonly type: "forbidden"; readonly message: string }
  | { readonly type: "error"; readonly code: "cycle" | "too-many-hops" | "too-many" | "failed"; readonly message: string };

/**
 * The sessions, for the tools of agents. A session that the caller may not see is answered like one that does not exist. Implemented by the gateway.
 */
export interface AgentSessions {
  list(filter: SessionFilter, caller: ToolCaller): Promise<SessionList>;
  /** `undefined`: there is no such session, or more than one. Rejects for a cursor of another list. */
  history(
    session: SessionReference,
    page: { readonly limit: number; readonly cursor?: string | undefined; readonly includeTools: boolean },
    caller: ToolCaller,
  ): Promise<SessionHistoryPage | undefined>;
  /**
   * Sends a message, which starts a turn of the other session with at most the authority of the caller, and its taint. Waits for the reply for up to
   * `timeoutMs`; 0: not at all.
   */
  send(
    session: SessionReference,
    options: { readonly message: string; readonly timeoutMs: number; readonly signal: AbortSignal },
    caller: ToolCaller,
  ): Promise<SessionSendOutcome>;
  /** Why no message can be sent to a session, before anyone is asked about it; `undefined` if one can. */
  sendProblem(
    session: SessionReference,
    caller: ToolCaller,
  ): Promise<Extract<SessionSendOutcome, { readonly type: "not-found" | "error" }> | undefined>;
  agents(caller: ToolCaller): Promise<readonly ReachableAgent[]>;
}
