import * as z from "zod";
/** The result of checking the configuration file. */
interface ConfigReloadResult {
  /** `applied`: it runs now. `unchanged`: it ran already. `kept`: it is unusable, and the previous one continues to run. */
  readonly type: "applied" | "unchanged" | "kept";
  /** Keys that differ from the previous configuration. */
  readonly changed: readonly string[];
  /** Keys that take effect only after a restart. */
  readonly needsRestart: readonly string[];
  /** Why the previous one is kept; else warnings. */
  readonly problems: readonly string[];
}
/** Parses the answer to `config.reload`. */
declare const ConfigReloadResultSchema: z.ZodType<ConfigReloadResult>;
/** Something that is wrong with the file, or worth knowing. */
interface ConfigFinding {
  /** `missing`, `syntax`, `invalid-value`, `unenforced`, `unknown-key`, `unknown-channel`, `conflict`, `extension`, `environment` or `notice`. */
  readonly type: string;
  /** `agents.list[0].model`; empty for the whole file. */
  readonly path: string;
  /** What is wrong and what to do. */
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
}
/** The configuration file and what it comes to. No secret is in it: `mark` stands for each. */
interface ConfigView {
  readonly path: string;
  /** `last-good`: the file cannot be used, and its last good copy runs. `defaults`: there is no file. `refused`: nothing can be used. */
  readonly source: "file" | "defaults" | "last-good" | "refused";
  readonly format: "json5" | "yaml";
  /** Identifies the text of the file, for `config.patch`. */
  readonly baseHash: string;
  /** Absent if the file cannot be read, because its secrets cannot be hidden then. */
  readonly text?: string;
  /** What stands for a hidden secret. Written back at the same key it keeps the secret. */
  readonly mark: string;
  /** The keys of the file, old names renamed. */
  readonly written: Readonly<Record<string, unknown>>;
  /** Every value that holds, with its defaults. */
  readonly effective: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigFinding[];
  /** Keys that this build has no effect of yet. */
  readonly inactive: readonly string[];
  /** Keys that differ from those of the start, and need a restart. */
  readonly needsRestart: readonly string[];
}
/** One changed value; secrets are hidden. */
interface ConfigDifference {
  readonly type: "added" | "removed" | "changed";
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
/** What became of a change. */
interface ConfigPatchResult {
  /** `planned`: a dry run; nothing was written. `kept`: it was written and cannot be used, so what ran before runs on. */
  readonly type: "applied" | "unchanged" | "planned" | "kept";
  readonly differences: readonly ConfigDifference[];
  /** The new text with its secrets hidden; absent if nothing changes. */
  readonly text?: string;
  /** Of the file after the change; of a plan, before it. */
  readonly baseHash: string;
  /** False if the file has to be rewritten, which loses its comments; an earlier version is kept. */
  readonly keptComments: boolean;
  /** Keys that take effect after a restart. */
  readonly needsRestart: readonly string[];
  /** What the configuration now means for commands and other people's files, one sentence each. */
  readonly policy: readonly string[];
  /** Why it is not used, or what is narrower than it says, and other warnings. */
  readonly problems: readonly string[];
}
/** Parses the configuration file. */
declare const ConfigViewSchema: z.ZodType<ConfigView>;
/** Parses the result of a change. */
declare const ConfigPatchResultSchema: z.ZodType<ConfigPatchResult>;
/** Largest frame after authentication, bytes. A larger one closes the connection with code 1009. */
declare const MAX_FRAME_BYTES: number;
/** Largest frame before authentication, bytes. */
declare const MAX_UNAUTHENTICATED_FRAME_BYTES: number;
/** Milliseconds that a client has between opening the socket and its `connect` frame. */
declare const CONNECT_TIMEOUT_MS = 15e3;
/** WebSocket close codes of the gateway. */
declare const CLOSE_CODES: {
  readonly unauthorized: 4401;
  readonly unsupportedProtocol: 4406;
  readonly connectTimeout: 4408;
  readonly shutdown: 1001;
  readonly slowConsumer: 4429;
};
/**
 * - `unauthorized`: no valid credential. - `forbidden`: the credential may not do this.
 * - `invalid-request`: the parameters do not fit; the message names the field. - `method-unknown`: the method does not exist.
 * - `not-found`, `conflict`: about the named thing. - `unavailable`: not now (starting, shutting down, disk full); retry.
 * - `too-large`: over a limit. - `internal`: a bug; the log has more under the same request id.
 */
declare const RpcErrorCodeSchema: z.ZodEnum<{
  unauthorized: "unauthorized";
  forbidden: "forbidden";
  "invalid-request": "invalid-request";
  "method-unknown": "method-unknown";
  "not-found": "not-found";
  conflict: "conflict";
  unavailable: "unavailable";
  "too-large": "too-large";
  internal: "internal";
}>;
/** Code of a failed request. */
type RpcErrorCode = z.infer<typeof RpcErrorCodeSchema>;
/** Why a request failed. `message` says what to do. */
interface RpcErrorBody {
  readonly code: RpcErrorCode;
  readonly message: string;
  /** What is wrong with which key, also in `message`; only of `config.patch`. */
  readonly problems?: readonly ConfigFinding[];
}
/** First frame of a client. A browser sends its token here, never in the URL. */
interface ConnectFrame {
  readonly type: "connect";
  readonly minProtocol: number;
  readonly maxProtocol: number;
  readonly client: {
    readonly name: string;
    readonly version: string;
  };
  readonly auth?: {
    readonly token: string;
  };
}
/** One request. `id` is the client's, unique on its connection. */
interface RequestFrame {
  readonly type: "req";
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}
/** Frames of a client. */
type ClientFrame = ConnectFrame | RequestFrame;
/** Answer to `connect`. */
interface HelloFrame {
  readonly type: "hello";
  readonly protocol: number;
  readonly server: {
    readonly version: string;
  };
  readonly connectionId: string;
}
/** Answer to a request. */
type ResponseFrame = {
  readonly type: "res";
  readonly id: string;
  readonly ok: true;
  readonly result: unknown;
} | {
  readonly type: "res";
  readonly id: string;
  readonly ok: false;
  readonly error: RpcErrorBody;
};
/** An event. `seq` counts the events of the connection from 1, without gaps. */
interface EventFrame {
  readonly type: "event";
  readonly event: string;
  readonly seq: number;
  readonly payload: unknown;
}
/** Sent before the gateway closes a connection that it does not admit. */
interface RefusedFrame {
  readonly type: "refused";
  readonly error: RpcErrorBody;
}
/** Frames of the gateway. */
type ServerFrame = HelloFrame | ResponseFrame | EventFrame | RefusedFrame;
/** Parses a client's frame. */
declare const ClientFrameSchema: z.ZodType<ClientFrame>;
/** Parses a frame of the gateway. */
declare const ServerFrameSchema: z.ZodType<ServerFrame>;
/** The newest version of the protocol that this build speaks. */
declare const PROTOCOL_VERSION = 1;
/** All decisions on a tool call. */
declare const APPROVAL_DECISIONS: readonly ["allow-once", "allow-session", "allow-always", "deny"];
/** A decision on a tool call. `allow-session`: equal calls of the conversation too. `allow-always`: equal calls of the agent too. */
type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];
/** A tool call that waits for the owner's decision, or was decided on. */
interface Approval {
  readonly id: string;
  readonly agentId: string;
  readonly sessionKey: string;
  /** Of the tool call in the conversation. */
  readonly callId: string;
  readonly toolName: string;
  /** The whole action, such as the command line. Characters that reorder or hide text are written as their codes. */
  readonly text: string;
  /** The rule that asks. */
  readonly reason: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** True if its turn went on without it: a decision to allow runs it on its own. */
  readonly isParked: boolean;
  /** The decisions that may be made on it. */
  readonly decisions: readonly ApprovalDecision[];
  /** Which sub-agent asks, and who asked, where and in which folder; absent if the owner asked in a direct conversation, without a sub-agent. */
  readonly askedIn?: string;
  readonly decision?: ApprovalDecision;
  readonly decidedAtMs?: number;
}
/** Parses such a call. */
declare const ApprovalSchema: z.ZodType<Approval>;
/** All states of a tool. */
declare const TOOL_STATES: readonly ["available", "asks", "refused", "removed", "missing"];
/**
 * What becomes of a tool in a run. `asks`: calls need the owner's decision, all or some of them. `refused`: the model is told that there is such a tool, and its
 * calls are refused. `removed`: the model is not told of it. `missing`: this gateway has not loaded it.
 */
type ToolState = (typeof TOOL_STATES)[number];
/** A tool in a run. */
interface ToolSummary {
  readonly name: string;
  readonly state: ToolState;
  /** The rule that decided; absent for an available tool. */
  readonly reason?: string;
}
/** One layer of the policy and what it says of a tool. */
interface ToolRule {
  /** `exec`, `global`, `agent`, `provider`, `group`, `sender` or `sandbox`. */
  readonly layer: string;
  /** Where it is configured. */
  readonly key: string;
  readonly admits: boolean;
  /** What decided in it: an entry of a list, the lack of one in `allow`, the profile, the mode of commands (`entry`), or nothing. */
  readonly by: "deny" | "allow" | "profile" | "mode" | "nothing";
  readonly entry?: string;
}
/** The run that tools are explained for. */
interface ToolOccasion {
  readonly sessionKey: string;
  readonly agentId: string;
  /** Reference of the model; absent if there is no usable one. */
  readonly model?: string;
  readonly owner: boolean;
  /** The sender's id on the session's channel, where one is known. */
  readonly sender?: string;
  readonly sandboxed: boolean;
  /** Commands of a sandboxed run run on the host. */
  readonly elevated: boolean;
  /** The conversation's mode: `read-only`, `ask`, `workspace` or `full`. */
  readonly mode: string;
}
/** Parses a tool in a run. */
declare const ToolSummarySchema: z.ZodType<ToolSummary>;
/** Parses what a layer says. */
declare const ToolRuleSchema: z.ZodType<ToolRule>;
/** Parses the run. */
declare const ToolOccasionSchema: z.ZodType<ToolOccasion>;
/** One rule of `bindings` that gives messages to an agent. */
interface AgentBinding {
  /** Its place in the configuration: `bindings[index]`. */
  readonly index: number;
  readonly agentId: string;
  /** The agent of `acp.agents` that answers in the place of the agent's model. */
  readonly externalAgent?: string;
  /** The kind that decides its precedence, such as `peer` or `account`. */
  readonly tier: string;
  /** Every given field must match. */
  readonly match: {
    readonly channel: string;
    /** Absent: the account `default`. `*`: every account. */
    readonly accountId?: string;
    /** `*` as id: every conversation of that kind. */
    readonly peer?: {
      readonly kind: "direct" | "group" | "channel";
      readonly id: string;
    };
    readonly guildId?: string;
    readonly roles?: readonly string[];
    readonly teamId?: string;
  };
  /** How its direct messages share sessions, if it differs from the configuration. */
  readonly dmScope?: string;
}
declare const STATES$1: readonly ["queued", "running", "idle", "done", "failed", "timeout", "killed", "lost"];
/** State of a sub-agent. `queued`, `running` and `idle` (it waits for messages) are open, the others final. */
type ChatSubagentState = (typeof STATES$1)[number];
/** The newest thing that a sub-agent did: it called a tool, or wrote a text, which is cut at 200 characters. */
interface ChatSubagentActivity {
  readonly type: "tool" | "text";
  readonly text: string;
}
/** A sub-agent as clients show it. */
interface ChatSubagent {
  readonly runId: string;
  /** Its own session. */
  readonly sessionKey: string;
  /** The session that started it. */
  readonly parentKey: string;
  readonly agentId: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  readonly label?: string;
  /** Cut at 300 characters. */
  readonly task: string;
  readonly state: ChatSubagentState;
  /** It stays open after its result. What a person writes in its session is answered there, as in every conversation. */
  readonly isPersistent?: boolean;
  /** Why it did not end as `done`. */
  readonly reason?: string;
  /** Absent while unknown: before its first answer, if none was chosen. */
  readonly model?: string;
  readonly createdAtMs: number;
  readonly endedAtMs?: number;
  /** Without those of its own sub-agents. */
  readonly tokens: number;
  readonly costUsd?: number;
  readonly activity?: ChatSubagentActivity;
}
/** Parses a sub-agent. */
declare const ChatSubagentSchema: z.ZodType<ChatSubagent>;
/** A tool call as clients show it. */
interface ChatToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, cut at 4,000 characters. */
  readonly argumentsText: string;
}
/** A file that came with a message. */
interface ChatFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** The name that it came with. */
  readonly name?: string;
}
/** A part of a notice, for clients with a layout: a line, a list, rows of name and text, or what somebody else than the gateway has said, in Markdown. */
type NoticeBlock = {
  readonly type: "text";
  readonly text: string;
} | {
  readonly type: "quote";
  readonly text: string;
} | {
  readonly type: "list";
  readonly items: readonly string[];
} | {
  readonly type: "rows";
  readonly rows: readonly {
    readonly name: string;
    readonly text: string;
  }[];
};
/** One committed entry of a conversation, as clients show it. Ids are unique in a session and sort in the order of the conversation. */
type ChatEntry = {
  readonly type: "user";
  readonly id: string;
  readonly timestampMs: number;
  readonly text: string;
  /** The number of attached files, if any. */
  readonly attachments?: number;
  /** Those of them that the gateway keeps; `GET media/<id>?session=<key>` gives their bytes, for as long as it keeps them. */
  readonly files?: readonly ChatFile[];
  readonly sender?: string;
  readonly channel: string;
  readonly idempotencyKey?: string;
  /** The model was not given it: a command, or a message that was dropped. Edited, it is sent as a new message. */
  readonly isAside?: true;
  /** The ids of all versions of the message, oldest first, its own among them: it was edited, or sent again for another answer. Absent for only one. */
  readonly versions?: readonly string[];
} | {
  readonly type: "assistant";
  readonly id: string;
  readonly timestampMs: number;
  readonly text: string;
  readonly thinking?: string;
  readonly toolCalls: readonly ChatToolCall[];
  readonly model: string;
  readonly stopReason: "stop" | "length" | "toolUse" | "aborted" | "error";
  readonly errorMessage?: string;
} | {
  readonly type: "tool-result";
  readonly id: string;
  readonly timestampMs: number;
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** The call has not failed: the run was stopped. */
  readonly isStopped?: true;
} | {
  readonly type: "notice";
  readonly id: string;
  readonly timestampMs: number;
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  readonly blocks?: readonly NoticeBlock[];
  /** The run waits for a person: for the decision on a call, or for the answer to a question, with this id. */
  readonly request?: {
    readonly type: "decision" | "answer";
    readonly id: string;
  };
};
/** Parses an entry. */
declare const ChatEntrySchema: z.ZodType<ChatEntry>;
/** The uncommitted state of a run. A client that joins late can show it as if it had watched from the start. */
interface LiveRun {
  readonly runId: string;
  readonly startedAtMs: number;
  /** Blocks of the answer that is being written, in order. */
  readonly blocks: readonly {
    readonly type: "text" | "thinking";
    readonly text: string;
  }[];
  /** Running tools, with their output so far (the last 4,000 characters). */
  readonly tools: readonly (ChatToolCall & {
    readonly output: string;
  })[];
}
/**
 * What the messages of a session, or the tools of its run, are waiting for: `held` for more of the same message, `earlier` for earlier work of the session,
 * `restart` for interrupted turns that are resumed one at a time, `place` for one of `limit` runs to end, `tools` for tools of other conversations and
 * `own-tools` for those of this one, of which `limit` may run at once.
 */
type ChatWait = {
  readonly type: "held" | "earlier" | "restart";
} | {
  readonly type: "place" | "tools" | "own-tools";
  readonly limit: number;
};
/** The initial state of a subscription. Every later event of the session comes after exactly this state. */
interface ChatSnapshot {
  readonly sessionKey: string;
  /** The newest entries, oldest first: as many as in a page of `chat.history`. */
  readonly entries: readonly ChatEntry[];
  /** Pass as `before` to `chat.history` for older ones; absent at the start of the conversation. */
  readonly before?: string;
  readonly live?: LiveRun;
  /** Inputs queued behind the current run. */
  readonly queued: number;
  /** Absent if nothing waits. */
  readonly wait?: ChatWait;
  /**
   * The sub-agents below the session, oldest first: all open ones, and the newest 200 that have ended and whose sessions still exist. In the session of a
   * sub-agent also itself and those above it, with what they were when the snapshot was taken. Absent without any.
   */
  readonly subagents?: readonly ChatSubagent[];
}
/** Parses a snapshot. */
declare const ChatSnapshotSchema: z.ZodType<ChatSnapshot>;
/** How a run ended, for clients. */
interface ChatOutcome {
  readonly type: "done" | "aborted" | "failed";
  /** For `failed` and `aborted`: what happened and what to do. */
  readonly message?: string;
}
/**
 * An event of a session. An `entry` is committed; if it is an assistant's message or a tool result it replaces its part of the live state. `queued` is the
 * number of waiting inputs, `wait` the reason; tools of the run may wait as well, with nothing queued.
 */
type ChatEvent = {
  readonly type: "run-start";
  readonly runId: string;
  readonly startedAtMs: number;
} | {
  readonly type: "block-start";
  readonly runId: string;
  readonly block: "text" | "thinking";
} | {
  readonly type: "block-delta";
  readonly runId: string;
  readonly text: string;
} | {
  readonly type: "answer-restart";
  readonly runId: string;
} | {
  readonly type: "tool-start";
  readonly runId: string;
  readonly call: ChatToolCall;
} | {
  readonly type: "tool-delta";
  readonly runId: string;
  readonly callId: string;
  readonly text: string;
} | {
  readonly type: "entry";
  readonly runId?: string;
  readonly entry: ChatEntry;
} | {
  readonly type: "run-end";
  readonly runId: string;
  readonly outcome: ChatOutcome;
} | {
  readonly type: "queue-change";
  readonly queued: number;
  readonly wait?: ChatWait;
} | {
  readonly type: "subagent-change";
  readonly subagent: ChatSubagent;
} | {
  readonly type: "branch-change";
} | {
  readonly type: "reset";
};
/** Parses an event of a session. */
declare const ChatEventSchema: z.ZodType<ChatEvent>;
/** Tokens and cost, for programs. `input` excludes cached tokens. */
interface RunUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  /** US dollars; absent if no price is known. */
  readonly costUsd?: number;
}
/** Parses a usage. */
declare const RunUsageSchema: z.ZodType<RunUsage>;
/** What usage can be grouped by. */
declare const USAGE_GROUPS: readonly ["day", "model", "cause", "agent", "channel", "session"];
/** A way to group usage. */
type UsageGroup = (typeof USAGE_GROUPS)[number];
/** Requests with their tokens and cost. */
interface UsageAmount extends RunUsage {
  readonly requests: number;
  readonly failed: number;
  /** Requests without a known price, which `costUsd` does not have. */
  readonly unpriced: number;
  /** Part of the tokens read that came from the cache, 0 to 1; absent if none were read. */
  readonly cacheHitRate?: number;
}
/** Usage in a period. */
interface UsageReport {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly timeZone: string;
  readonly total: UsageAmount;
  /** By day in order of time, otherwise the most expensive first. `keys` has a value for each of the asked groups; an unknown channel is `-`. */
  readonly groups: readonly (UsageAmount & {
    readonly keys: Readonly<Partial<Record<UsageGroup, string>>>;
  })[];
  /** Groups beyond the limit. */
  readonly omitted: number;
  /** Older requests are no longer stored; absent without stored requests. */
  readonly storedSinceMs?: number;
  /** Everything that was charged on the days of the period by agent and cause: also requests that are not stored, such as tests and media. */
  readonly charged: readonly {
    readonly day: string;
    readonly agent: string;
    readonly cause: string;
    readonly calls: number;
    readonly tokens: number;
    readonly costUsd?: number;
  }[];
  /** The caps of today for each agent. What is absent has no limit. */
  readonly caps: readonly {
    readonly agent: string;
    /** The key of the configuration. */
    readonly name: string;
    readonly tokensPerDay?: number;
    readonly usdPerDay?: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly tokensLeft?: number;
    readonly usdLeft?: number;
    readonly resetsAtMs: number;
  }[];
}
/** Parses usage in a period. */
declare const UsageReportSchema: z.ZodType<UsageReport>;
/** The result of `agent`, printed by `factotum agent --json`. */
interface AgentRunResult {
  readonly sessionKey: string;
  readonly runId: string;
  readonly outcome: ChatOutcome;
  /** The assistant's last text; empty if it stayed silent. */
  readonly text: string;
  readonly usage: RunUsage;
  /** Notices to the person in addition to the answer, such as that another model gave it (R28); absent if there are none. */
  readonly remarks?: readonly string[];
  /** Notices to the conversation with the answer: a level that the model does not accept, a file that was not sent; absent if there are none. */
  readonly notices?: readonly string[];
  /** The model's thoughts, if `/reasoning` shows them. */
  readonly thoughts?: string;
}
/** A file that a client has uploaded with `POST uploads`, over HTTP and not the socket: a frame is too small for it. */
interface ChatAttachment {
  /** As returned by the gateway. */
  readonly ref: string;
  /** As returned by the gateway; an image without it. */
  readonly kind?: "image" | "audio" | "video" | "file" | undefined;
  /** Its original file name. */
  readonly fileName?: string | undefined;
}
/** Maximum per message. */
declare const MAX_CHAT_ATTACHMENTS = 20;
/** Maximum size of one file, in bytes. */
declare const MAX_UPLOAD_BYTES = 2e7;
/** The idempotency key of another attempt at a failed message; the model and the page show the text of the attempts once. `id` is unique. */
declare function retryKey(failed: string, id: string): string;
/** The key of the first attempt at a message; `undefined` if the key is not that of a retry. */
declare function retriedKey(key: string): string | undefined;
/** A message typed into a WebChat window. The gateway has authenticated the connection before it passes this on. */
interface WebchatInput {
  readonly sessionKey: string;
  /** Empty if there are only attachments. */
  readonly text: string;
  /** In the order of sending. */
  readonly attachments?: readonly ChatAttachment[];
  /** The client's own id of the message, for deduplication. */
  readonly idempotencyKey: string;
  /** Name of the client, such as `control-ui`. */
  readonly clientName: string;
  /** When the gateway received it, milliseconds since the epoch; defaults to the channel's own clock. */
  readonly receivedAtMs?: number;
}
/** What the WebChat channel shows in a session. */
interface WebchatDelivery {
  readonly type: "text";
  readonly sessionKey: string;
  readonly idempotencyKey: string;
  readonly text: string;
}
/** The gateway's own socket, as the WebChat channel sees it: the counterpart of an SDK in other channels. */
interface WebchatSocket {
  /** Passes every input to `handler`, one at a time; the input is acknowledged when it resolves. Disposing stops it. */
  listen(handler: (input: WebchatInput) => Promise<"accepted" | "duplicate">): Disposable;
  /** The bytes of an attachment of an input; `undefined` if it no longer exists. */
  readUpload(ref: string): Promise<Uint8Array | undefined>;
  /** Shows a delivery and resolves with the id of its entry; deduplicated by `idempotencyKey`. Rejects if it could not be stored. */
  deliver(delivery: WebchatDelivery, options: {
    readonly signal: AbortSignal;
  }): Promise<{
    readonly entryId: string;
  }>;
}
/** Who may call a method: `owner` is the holder of the gateway's token. */
type RpcAccess = "owner";
/** Parameters and result of a method. */
interface MethodTypes {
  readonly params: unknown;
  readonly result: unknown;
}
/** A row: who may call the method, whether it is rejected while the store is not writable, and the parsers of its parameters and its result. */
interface MethodRow<Types extends MethodTypes = MethodTypes> {
  readonly access: RpcAccess;
  readonly stores: boolean;
  readonly params: z.ZodType<Types["params"]>;
  readonly result: z.ZodType<Types["result"]>;
}
/** A row for each declared method. */
type MethodTable<Methods extends { readonly [Method in keyof Methods]: MethodTypes; }> = { readonly [Method in keyof Methods]: MethodRow<Methods[Method]>; };
/** Methods of a conversation with an agent. */
interface ChatMethods {
  /**
   * Sends a message to a session: text, previously uploaded files, or both. Resolves once it is committed; deduplicated by `idempotencyKey`, which `retryKey`
   * creates for another attempt at a failed message. Without a session key: the agent's main session.
   */
  "chat.send": {
    params: {
      readonly sessionKey?: string;
      readonly agentId?: string;
      readonly text: string;
      readonly attachments?: readonly ChatAttachment[];
      readonly idempotencyKey: string;
    };
    result: {
      readonly sessionKey: string;
      readonly status: "accepted" | "duplicate";
    };
  };
  /**
   * Entries before a position, newest page first, oldest first inside the page. `limit` 50 by default, 200 at most; a page has less if its entries would be
   * larger than 1 MiB together, but at least one.
   */
  "chat.history": {
    params: {
      readonly sessionKey: string;
      readonly before?: string;
      readonly limit?: number;
    };
    result: {
      readonly entries: readonly ChatEntry[];
      readonly before?: string;
    };
  };
  /**
   * Sends a message of the person, the newest one without `entryId`, again with another text, in a new branch of the transcript from before that message; the files that the gateway keeps of it
   * go with it. The branch of before is kept: `versions` of the entries name it, and `chat.branch` shows it. Resolves once it is committed; deduplicated by
   * `idempotencyKey`. Rejects with `conflict` while the conversation has work. An aside, which the model was not given, is sent as a new message (`isNew`).
   */
  "chat.edit": {
    params: {
      readonly sessionKey: string;
      readonly entryId?: string;
      readonly text: string;
      readonly idempotencyKey: string;
    };
    result: SentVersion;
  };
  /** Asks for another answer to a message of the person, the newest one without `entryId`: like `chat.edit` with its own text. */
  "chat.regenerate": {
    params: {
      readonly sessionKey: string;
      readonly entryId?: string;
      readonly idempotencyKey: string;
    };
    result: SentVersion;
  };
  /** The messages that were edited or sent again, oldest first. */
  "chat.branches": {
    params: {
      readonly sessionKey: string;
    };
    result: {
      readonly branches: readonly MessageVersions[];
    };
  };
  /** Continues the newest branch that has an entry. `changed` is false if it is shown already. Rejects with `conflict` while the conversation has work. */
  "chat.branch": {
    params: {
      readonly sessionKey: string;
      readonly entryId: string;
    };
    result: {
      readonly sessionKey: string;
      readonly changed: boolean;
    };
  };
  /** Subscribes this connection to the session's events and returns the snapshot that they continue from. Every call returns a fresh one. */
  "chat.subscribe": {
    params: {
      readonly sessionKey?: string;
      readonly agentId?: string;
      readonly limit?: number;
    };
    result: ChatSnapshot;
  };
  "chat.unsubscribe": {
    params: {
      readonly sessionKey: string;
    };
    result: {
      readonly subscribed: boolean;
    };
  };
  /** Ends the current run of a session and its sub-agents, and drops queued inputs if `queued` is true. `aborted`: something ran. */
  "chat.abort": {
    params: {
      readonly sessionKey: string;
      readonly runId?: string;
      readonly queued?: boolean;
    };
    result: {
      readonly aborted: boolean;
      readonly dropped: number;
    };
  };
  /** Sends a message and waits for the answer: the end of the run, or of the one that answers the results of its sub-agents, if it waits for them. */
  agent: {
    params: {
      readonly message: string;
      readonly agentId?: string;
      readonly sessionKey?: string;
      readonly idempotencyKey: string;
    };
    result: AgentRunResult;
  };
}
/** How a version of a message was sent. */
interface SentVersion {
  readonly sessionKey: string;
  readonly status: "accepted" | "duplicate";
  /** Files of the message that the gateway does not keep any longer, and that were not sent again; absent for none. */
  readonly leftOut?: number;
  /** It is no version: the edited message was an aside, and the text was sent as a new message. */
  readonly isNew?: true;
}
/** A message with several versions. */
interface MessageVersions {
  /** Oldest first. `text` is cut at 200 characters. */
  readonly versions: readonly {
    readonly entryId: string;
    readonly timestampMs: number;
    readonly text: string;
    readonly isShown: boolean;
  }[];
}
/** All modes of a session. */
declare const SESSION_MODE_IDS: readonly ["read-only", "ask", "workspace", "full"];
/** Which tool calls run in a session; `ask`: as configured. */
type SessionModeId = (typeof SESSION_MODE_IDS)[number];
/** All levels of thinking, lowest first. */
declare const THINKING_LEVEL_IDS: readonly ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"];
/** How much a model thinks. */
type ThinkingLevelId = (typeof THINKING_LEVEL_IDS)[number];
/** What can be chosen for a session, what is, and the commands that it takes. */
interface SessionSettings {
  readonly mode: SessionModeId;
  readonly modes: readonly {
    readonly id: SessionModeId;
    readonly effect: string;
  }[];
  /** Reference of the model of the next message; absent if it cannot be used. */
  readonly model?: string;
  /** Those that the configuration names, and the one in use. */
  readonly models: readonly {
    readonly reference: string;
    readonly alias?: string;
  }[];
  /** Tokens that the model takes; absent without a usable model. */
  readonly contextWindow?: number;
  /** Absent: the model's own. */
  readonly thinking?: ThinkingLevelId;
  /** The levels that the model takes, lowest first. */
  readonly thinkingLevels: readonly ThinkingLevelId[];
  /** Slash commands of the owner, with their skills and own ones; names without the slash. */
  readonly commands: readonly {
    readonly name: string;
    readonly summary: string;
  }[];
}
/**
 * Unacknowledged damage of the stored state. `database`: the whole database was lost or unreadable and was restored; `snapshots`: snapshots of another database
 * lie beside it and are kept; `rows`: single rows failed their checksum and are excluded.
 */
interface DamageEvent {
  readonly id: string;
  readonly kind: "database" | "snapshots" | "rows";
  /** When it was first found. */
  readonly atMs: number;
  /** The finding and the action taken. */
  readonly text: string;
  /** The number of rows; 1 for the other kinds. */
  readonly count: number;
  /** True if nothing was lost. */
  readonly isComplete: boolean;
  readonly sessionKey?: string;
  /** The affected file or folder. */
  readonly path?: string;
  /** For a restored database: sessions restored from their plain file alone. */
  readonly rebuilt?: readonly string[];
  /** For a restored database with losses: sessions that were or may have been in use in the lost period, most likely first. */
  readonly affected?: readonly string[];
}
/** Parses events of damage. */
declare const DamageEventsSchema: z.ZodType<readonly DamageEvent[]>;
/** A person on one account; ids are the platform's. */
interface PairedSender {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
  /** The name that the person has given themself: for display only. */
  readonly senderName?: string;
  readonly approvedAtMs?: number;
  /** True if `commands.ownerAllowFrom` names the person; everyone else is a guest. */
  readonly owner: boolean;
}
/** A person who asks to be admitted. */
interface PairingRequest extends Omit<PairedSender, "approvedAtMs" | "owner"> {
  readonly code: string;
  readonly requestedAtMs: number;
  /** When the code stops being valid. */
  readonly expiresAtMs: number;
}
/** Parses an admitted sender. */
declare const PairedSenderSchema: z.ZodType<PairedSender>;
/** Parses a request to be admitted. */
declare const PairingRequestSchema: z.ZodType<PairingRequest>;
/** The outcome of one run. */
interface LastRun {
  readonly state: string;
  readonly reason?: string;
  readonly atMs: number;
}
/** Scheduled jobs and heartbeats. */
interface ScheduleStatus {
  /** False: `cron.enabled` is off, and nothing runs. */
  readonly enabled: boolean;
  /** By how many milliseconds the scheduler is late; 0 if it is not. */
  readonly lateMs: number;
  readonly jobs: number;
  /** The jobs whose last runs have failed, and those that were disabled for that. */
  readonly failing: readonly {
    readonly id: string;
    readonly name: string;
    readonly failures: number;
    readonly disabledBecause?: string;
  }[];
  readonly heartbeats: readonly {
    readonly agentId: string;
    readonly nextAtMs?: number;
    readonly last?: LastRun;
  }[];
}
/** One account of a channel, as `status` shows it. */
interface ChannelStatus {
  readonly channel: string;
  readonly accountId: string;
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped" | "disabled" | "failed";
  readonly detail?: string;
  readonly evidenceAtMs?: number;
  /** When this state was first seen. */
  readonly sinceMs?: number;
  /** When the newest message of the platform was stored, since the start of the gateway. */
  readonly lastInboundAtMs?: number;
  /** The newest thing that was wrong since the start of the gateway, also if it is over. */
  readonly lastProblem?: {
    readonly text: string;
    readonly atMs: number;
  };
  /** How events arrive, and what becomes of one that was not acknowledged; absent while the channel could not be created. */
  readonly inbound?: {
    readonly delivery: "redelivers" | "resumes" | "once";
    readonly transport: "webhook" | "connection" | "polling";
  };
  /** Where a started webhook account receives: below `gateway.publicUrl` if there is one, otherwise at the gateway itself. */
  readonly webhookUrl?: string;
  /** True if a file with a secret of the account has another content than when the account was started. */
  readonly hasOldSecret?: boolean;
}
/** One agent, as `status` shows it. */
interface AgentStatus {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  /** Why the model cannot be used. */
  readonly modelProblem?: string;
  /** Why its newest run failed, for the owner; absent while runs succeed. */
  readonly lastFailure?: {
    readonly text: string;
    readonly atMs: number;
  };
  /** Names of the model's credentials in the order in which they are tried; never a key. */
  readonly credentials?: readonly string[];
  /** Settings of the agent that the model does not accept, and what is sent instead. */
  readonly modelNote?: string;
}
/** A model or a credential in cooldown after a failure. */
interface RestingModel {
  readonly provider: string;
  /** Absent if it applies to all models of the credential. */
  readonly model?: string;
  /** Its name, never the key. */
  readonly credential: string;
  /** Code of the error. */
  readonly reason: string;
  /** `permanent` needs a person; `transient` ends by itself. */
  readonly class: "permanent" | "transient";
  readonly untilMs: number;
}
/** A conversation whose first unsent message waits for a retry. */
interface BlockedConversation {
  readonly sessionKey: string;
  readonly channel: string;
  readonly accountId: string;
  /** Its id on the platform. */
  readonly conversation: string;
  readonly threadId?: string;
  /** Unsent messages, including the first one. */
  readonly waiting: number;
  /** When the oldest of them was created. */
  readonly sinceMs: number;
  /** The result of the last attempt; begins with its code. */
  readonly reason: string;
  readonly nextTryMs: number;
}
/** A sender who was not admitted, with the number of messages since the start. */
interface RefusedSender {
  readonly channel: string;
  readonly accountId: string;
  /** A person, or a group as a whole. */
  readonly type: "sender" | "group";
  /** The platform's. */
  readonly id: string;
  readonly count: number;
  readonly lastAtMs: number;
  /** The command that admits them; absent if the id cannot be written in a command. */
  readonly admit?: string;
}
/** The result of `status`. Counts of failures cover the whole store, not only the time since the start. */
interface GatewayStatus {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly url: string;
  /** `gateway.publicUrl`: where people and platforms reach it from outside. */
  readonly publicUrl?: string;
  readonly home: string;
  readonly config: {
    readonly path: string;
    /** SHA-256 of the file on disk and of the running configuration; they differ if the file is bad or not applied yet. */
    readonly fileHash?: string;
    readonly runningHash: string;
    readonly problems: readonly string[];
    /** Keys changed since the start that take effect only after a restart. */
    readonly needsRestart: readonly string[];
    /** Configured keys whose feature this build does not have yet. */
    readonly inactive: readonly string[];
    /** What the configuration means for commands and for other people's files, in plain words. */
    readonly commandPolicy: readonly string[];
  };
  /** `low`: everything is stored, but little space is left. `full`: no input is accepted until there is space again; `sinceMs` says since when. */
  readonly storage: {
    readonly state: "ok" | "low" | "full";
    readonly detail?: string;
    readonly sinceMs?: number;
  };
  /** Unacknowledged damage of the stored state, oldest first. */
  readonly damage: readonly DamageEvent[];
  readonly agents: readonly AgentStatus[];
  readonly resting: readonly RestingModel[];
  readonly channels: readonly ChannelStatus[];
  /** Refused messages since the start, and their senders: newest first, at most 20. */
  readonly refused: {
    readonly messages: number;
    readonly senders: readonly RefusedSender[];
  };
  /** People who ask to be admitted, oldest first, and the number of those who were. */
  readonly pairing: {
    readonly pending: readonly PairingRequest[];
    readonly approved: number;
  };
  readonly sessions: {
    readonly total: number;
    readonly running: number;
  };
  readonly inputs: {
    readonly waiting: number;
    readonly deadLettered: number;
  };
  readonly outbox: {
    /** All rows that are unsent and not being sent right now. */
    readonly waiting: number;
    /** When the oldest of them was written. */
    readonly oldestAtMs?: number;
    readonly deadLettered: number;
    readonly ambiguous: number;
    /** Longest waiting first. */
    readonly blocked: readonly BlockedConversation[];
  };
  readonly schedule: ScheduleStatus;
  readonly usage: {
    readonly totalTokens: number;
    readonly costUsd?: number;
  };
}
/** Parses a status. */
declare const GatewayStatusSchema: z.ZodType<GatewayStatus>;
/** The parts of a model request, in the order in which the reports show them. */
declare const CONTEXT_PART_TYPES: readonly ["system", "messages", "prompt", "images", "tools"];
/** Name of a part: system prompt, earlier messages, this turn's text, this turn's images, tools. */
type ContextPartType = (typeof CONTEXT_PART_TYPES)[number];
/** The size of something. `tokens` is an estimate; only a provider's usage is exact. `bytes` are those of the text in UTF-8. */
interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}
/** An image as a report shows it: never its data. */
interface ContextImage {
  readonly mimeType: string;
  readonly bytes: number;
}
/** What was cut from a section before the model got it. */
interface ContextTruncation {
  readonly keptChars: number;
  readonly totalChars: number;
}
/** One section of a part: a section of the system prompt, a message, a block of the turn's text, an image, a tool. */
interface ContextSection extends ContextSize {
  /** Unique in its part, and stable across requests for the same thing. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /** Sections of the system prompt: the half that the cache boundary puts them into. */
  readonly half?: "stable" | "session";
  readonly images?: readonly ContextImage[];
  readonly truncation?: ContextTruncation;
  /** It belongs to a message with words or files of others, which taint a turn. */
  readonly ofOthers?: true;
  /** Only if texts were requested. Known secrets are hidden, image data is replaced by kind and size. */
  readonly text?: string;
  /** Characters cut from the end of `text` in the report; the model got them. */
  readonly omittedChars?: number;
}
/** One part with its sections, in the order of sending. */
interface ContextPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly ContextSection[];
}
/** One difference between two requests. */
interface ContextChange {
  readonly part: ContextPartType;
  readonly section: string;
  readonly title: string;
  readonly type: "added" | "removed" | "changed";
  readonly charsBefore: number;
  readonly charsAfter: number;
}
/** What changed against an earlier request. */
interface ContextDiff {
  /** The earlier request. */
  readonly requestId: string;
  readonly turn: number;
  readonly request: number;
  /** The request begins with the earlier one, byte for byte: a provider can read all of that from its cache. */
  readonly prefixHeld: boolean;
  /** The first section that differs, if the prefix changed. */
  readonly firstDifference?: {
    readonly part: ContextPartType;
    readonly section: string;
  };
  /** Named causes and breaks since the earlier request, oldest first; they explain the changed prefix. */
  readonly causes: readonly string[];
  readonly changes: readonly ContextChange[];
  /** What could have been read from the provider's cache and was not; absent if nothing, and for a provider that shows no cache. */
  readonly reread?: RereadTokens;
}
/** Tokens of an earlier request that were read at their full price again. */
interface RereadTokens {
  readonly tokens: number;
  /** More than from the cache, in US dollars; absent if a price is not known. */
  readonly costUsd?: number;
}
/** How a request ended. */
type ContextOutcome = {
  readonly type: "answered";
  readonly stopReason: string;
} | {
  readonly type: "failed";
  readonly code: string;
  readonly message: string;
};
/** One stored model request in a list. */
interface ContextRequest {
  readonly id: string;
  readonly turnId: string;
  /** The turn's number in its conversation, from 1. */
  readonly turn: number;
  /** The request's number in its turn, from 1. */
  readonly request: number;
  /** The cause of the run. */
  readonly kind: string;
  /** The beginning of what was said in its turn, on one line; absent in traces and replays, and once it is kept no longer (14 days). */
  readonly asked?: string;
  readonly sentAtMs: number;
  readonly durationMs: number;
  /** `provider/model` that was asked. */
  readonly model: string;
  /** Where its key came from; never the key. */
  readonly credential?: string;
  readonly thinking?: string;
  readonly maxOutputTokens?: number;
  readonly cacheRetention: string;
  /** Hash of system prompt and tools. */
  readonly promptHash: string;
  /** Number of messages sent, this turn's included. */
  readonly messages: number;
  /** Named causes and breaks of this request. */
  readonly causes: readonly string[];
  readonly usage: RunUsage;
  readonly outcome: ContextOutcome;
}
/** The content of one request to a model, and its cost. */
interface ContextReport {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly request: ContextRequest;
  /** True if the report is verified to equal what was sent; false if the conversation's stored form has changed since. */
  readonly exact: boolean;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly prompt: {
    readonly cause: string;
    readonly renderedAtMs: number;
  };
  readonly total: ContextSize;
  readonly parts: readonly ContextPart[];
  /** Workspace files that did not fit into the system prompt. */
  readonly cutFiles: readonly ({
    readonly name: string;
    readonly limit: "file" | "total";
  } & ContextTruncation)[];
  readonly diff?: ContextDiff;
  /** The active cooldowns of the request's provider. */
  readonly resting?: readonly RestingModel[];
}
/** A chunk of a replayed answer. */
interface ReplayDelta {
  readonly replayId: string;
  readonly block: "text" | "thinking" | "tool-call";
  readonly text: string;
}
/** The result of a replay. */
interface ReplayResult {
  readonly request: ContextRequest;
  /** `provider/model` that answered now. */
  readonly model: string;
  /** True if the same bytes went to the same model as the first time. */
  readonly exact: boolean;
  readonly text: string;
  /** Tool calls of the model; none of them was run. */
  readonly toolCalls: readonly {
    readonly name: string;
    readonly argumentsText: string;
  }[];
  readonly usage: RunUsage;
  readonly outcome: ContextOutcome;
}
/** Parses a stored request. */
declare const ContextRequestSchema: z.ZodType<ContextRequest>;
/** Parses a report. */
declare const ContextReportSchema: z.ZodType<ContextReport>;
/** Parses a chunk of a replayed answer. */
declare const ReplayDeltaSchema: z.ZodType<ReplayDelta>;
/** Parses the result of a replay. */
declare const ReplayResultSchema: z.ZodType<ReplayResult>;
/** What an editor is asked to do for a run in a session that it has open. Paths are absolute and real. */
type EditorRequest = {
  readonly type: "read-file";
  readonly path: string;
} | {
  readonly type: "write-file";
  readonly path: string;
  readonly text: string;
} | {
  readonly type: "create-terminal";
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxOutputBytes: number;
} | {
  readonly type: "read-terminal" | "await-terminal" | "kill-terminal" | "release-terminal";
  readonly terminalId: string;
};
/** An editor's answer. */
type EditorAnswer = {
  readonly type: "done";
} | {
  readonly type: "text";
  readonly text: string;
} | {
  readonly type: "terminal";
  readonly terminalId: string;
} | {
  readonly type: "output";
  readonly text: string;
  readonly isCut: boolean;
} | {
  readonly type: "exit";
  readonly exitCode?: number;
  readonly signal?: string;
} | {
  readonly type: "failed";
  readonly message: string;
};
/** An MCP server that an editor names for a session. Values of variables and headers may be secrets. */
type EditorServer = {
  readonly type: "stdio";
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} | {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};
/** What an editor does for the runs of a session. */
interface EditorOffer {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly hasTerminals: boolean;
  readonly servers: readonly EditorServer[];
}
/** Longest text of a file or of an output in a message, in characters. */
declare const MAX_EDITOR_TEXT_CHARS = 2e5;
/** MCP servers of one session. */
declare const MAX_EDITOR_SERVERS = 20;
/** Parses it. */
declare const EditorRequestSchema: z.ZodType<EditorRequest>;
/** Parses it. */
declare const EditorAnswerSchema: z.ZodType<EditorAnswer>;
/** Parses it. */
declare const EditorServerSchema: z.ZodType<EditorServer>;
/** A terminal failure: a message that was never answered, or a part of one that did not reach its platform. */
interface DeadLetter {
  readonly id: string;
  readonly type: "input" | "outbound";
  /** `ambiguous`: it is unknown whether it was shown. */
  readonly state: "dead" | "ambiguous";
  readonly reason: string;
  readonly failedAtMs: number;
  /** The session that it belongs to, if known. */
  readonly sessionKey?: string;
  /** The turn that it belongs to, whose trace says what happened; absent if no turn began. */
  readonly turnId?: string;
  /** Its source, or its target; absent if the stored row is damaged. */
  readonly channel?: string;
  readonly accountId?: string;
  /** The platform's id of the conversation. */
  readonly conversation?: string;
  /** The beginning of the text; `deadletters.show` has all of it in the payload. */
  readonly text?: string;
  /** Whether it can be retried: `risky` may show it twice, `impossible` means that nothing is left to send. */
  readonly replay: "safe" | "risky" | "impossible";
}
/** Parses a dead letter. */
declare const DeadLetterSchema: z.ZodType<DeadLetter>;
/** The memory of an agent, and what is not searched. */
interface MemoryState {
  readonly agentId: string;
  /** `notes`, or the plugin that `memory.provider` names. */
  readonly provider: string;
  /** It answers searches. */
  readonly works: boolean;
  readonly files: number;
  /** Conversations of which something is indexed; absent: they are not searched. */
  readonly conversations?: number;
  /** Passages. */
  readonly chunks: number;
  /** Of the index on the disk. */
  readonly sizeBytes?: number;
  /** When the index last changed; absent: it has not been filled. */
  readonly indexedAtMs?: number;
  /** The model that compares texts by their meaning, and how many passages have a vector of it; absent: words alone are compared. */
  readonly embedded?: {
    readonly model: string;
    readonly chunks: number;
  };
  /** What is wrong, or left out, each a sentence. */
  readonly problems: readonly string[];
}
/** A passage that matches a search. Lines count from 1 and are inclusive. */
interface MemorySearchHit {
  /** A note, relative to the workspace or absolute; what was said as `<session id>#<entry id>`. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  readonly source: "notes" | "sessions";
  /** `untrusted`: it may hold text of others. */
  readonly origin: "owner" | "agent" | "untrusted" | "system";
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly day?: string;
}
/** A file or a conversation that an update of the index found changed. */
interface MemoryFileChange {
  /** Of a conversation its session id. */
  readonly path: string;
  readonly type: "added" | "changed" | "removed";
}
/** A note that can be read and written. */
interface MemoryFile {
  /** Relative to the workspace: `MEMORY.md`, `USER.md`, or a Markdown file in `memory`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly changedAtMs: number;
}
/** The text of a note. */
interface MemoryText {
  readonly agentId: string;
  readonly path: string;
  /** Secrets that the gateway knows are replaced by marks. */
  readonly text: string;
  /** Identifies the note as it is, for a change. */
  readonly baseHash: string;
  /** It may hold text of others. */
  readonly untrusted: boolean;
  /** It has secrets, which are hidden. */
  readonly hasSecrets: boolean;
}
/** A note that has versions. */
interface MemoryNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly count: number;
  readonly newestAtMs: number;
}
/** What a note held before a change. */
interface MemoryNoteVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others. */
  readonly untrusted: boolean;
}
/** What is wrong with an entry or a note. */
interface MemoryFinding {
  readonly type: "untrusted" | "junk" | "duplicate" | "over-budget" | "secret";
  /** A sentence. */
  readonly message: string;
}
/** The turn that wrote an entry. */
interface MemoryEntrySource {
  /** What started the run. */
  readonly kind: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly atMs: number;
}
/** An entry of a note, such as an item of a list. Lines count from 1 and are inclusive. */
interface MemoryAuditEntry {
  readonly startLine: number;
  readonly endLine: number;
  /** Secrets are redacted. */
  readonly text: string;
  /** Absent: no tool wrote it; by hand, or by a command. */
  readonly origin?: "owner" | "agent" | "untrusted" | "system";
  readonly source?: MemoryEntrySource;
  readonly findings: readonly MemoryFinding[];
}
/** A note that was examined. */
interface MemoryAuditNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly chars: number;
  /** How many characters of it conversations are shown; absent for daily notes. */
  readonly maxChars?: number;
  readonly findings: readonly MemoryFinding[];
  readonly entries: readonly MemoryAuditEntry[];
}
/** Parses a note that was examined. */
declare const MemoryAuditNoteSchema: z.ZodType<MemoryAuditNote>;
/** Parses a note. */
declare const MemoryFileSchema: z.ZodType<MemoryFile>;
/** Parses the text of a note. */
declare const MemoryTextSchema: z.ZodType<MemoryText>;
/** Parses a note with versions. */
declare const MemoryNoteSchema: z.ZodType<MemoryNote>;
/** Parses a version. */
declare const MemoryNoteVersionSchema: z.ZodType<MemoryNoteVersion>;
/** Parses the state of a memory. */
declare const MemoryStateSchema: z.ZodType<MemoryState>;
/** Parses a hit. */
declare const MemorySearchHitSchema: z.ZodType<MemorySearchHit>;
/** Parses a change. */
declare const MemoryFileChangeSchema: z.ZodType<MemoryFileChange>;
/** What to forget: everything of a session, every exchange of a time, or every exchange and line with a text. */
type MemoryForgetScope = {
  readonly type: "session";
  readonly sessionKey: string;
} | {
  readonly type: "span";
  readonly fromMs: number;
  readonly toMs?: number;
} | {
  readonly type: "search";
  readonly text: string;
};
/** Parses what to forget. */
declare const MemoryForgetScopeSchema: z.ZodType<MemoryForgetScope>;
/** What is forgotten, or would be. */
interface MemoryForgetReport {
  /** `nothing`: there is nothing of it. `restarting`: it is decided, and forgotten by the start that follows at once. */
  readonly type: "planned" | "nothing" | "restarting";
  /** Rows and files, by what they are called. */
  readonly counts: Readonly<Record<string, number>>;
  /** Notes that lose lines, or everything (`removed`); relative to the workspace. */
  readonly notes: readonly {
    readonly path: string;
    readonly lines: number;
    readonly removed: boolean;
  }[];
  /** Copies that may hold it and are not touched: backups and earlier state directories. */
  readonly untouched: readonly string[];
}
/** Parses what is forgotten. */
declare const MemoryForgetReportSchema: z.ZodType<MemoryForgetReport>;
/** When a job falls due: once, in elapsed time, or at the local times of a cron expression. Local times without a `timezone` are in the agent's. */
type ScheduleShape = {
  readonly type: "at";
  readonly at: string;
  readonly timezone?: string;
} | {
  readonly type: "every";
  readonly every: string;
  readonly anchor?: string;
  readonly timezone?: string;
} | {
  readonly type: "cron";
  readonly cron: string;
  readonly timezone?: string;
  readonly exact?: boolean;
};
/** A scheduled job as it is asked for. Defaults and rules are those of the tool `cron`. */
interface JobShape {
  readonly name: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly schedule: ScheduleShape;
  readonly payload: {
    readonly type: "agentTurn";
    readonly message: string;
  } | {
    readonly type: "message";
    readonly text: string;
  } | {
    readonly type: "systemEvent";
    readonly text: string;
    readonly wake?: "now" | "next-heartbeat";
  } | {
    readonly type: "command";
    readonly argv: readonly string[];
    readonly cwd?: string;
  };
  readonly session?: "isolated" | "main" | {
    readonly key: string;
  };
  readonly delivery?: {
    readonly type: "announce";
    readonly to?: string;
  } | {
    readonly type: "webhook";
    readonly url: string;
    readonly secret?: string;
  } | {
    readonly type: "none";
  };
  readonly check?: {
    readonly type: "argv";
    readonly argv: readonly string[];
  } | {
    readonly type: "url";
    readonly url: string;
  } | {
    readonly type: "fileChanged";
    readonly path: string;
  };
  readonly model?: string;
  readonly thinking?: ThinkingLevelId;
  readonly timeoutSeconds?: number;
  readonly lightContext?: boolean;
  readonly tools?: readonly string[];
  readonly catchUp?: {
    readonly mode: "skip" | "once" | "all";
    readonly maxAge?: string;
  };
  readonly overlap?: "skip" | "queue" | "replace";
  readonly deleteAfterRun?: boolean;
}
/** The parts of a job that have a default. */
declare const OPTIONAL_JOB_PARTS: readonly ["description", "session", "delivery", "check", "model", "thinking", "timeoutSeconds", "lightContext", "tools", "catchUp", "overlap", "deleteAfterRun"];
/** Name of such a part. */
type OptionalJobPart = (typeof OPTIONAL_JOB_PARTS)[number];
/** Parses a job. */
declare const JobShapeSchema: z.ZodType<JobShape>;
/** The outcome of one slot. Each slot has exactly one. */
interface OccurrenceShape {
  readonly jobId: string;
  /** The planned instant. */
  readonly slotMs: number;
  readonly state: "claimed" | "running" | "done" | "failed" | "skipped" | "missed";
  readonly attempt: number;
  /** Asked for by a person. */
  readonly isManual?: true;
  readonly reason?: string;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** The beginning of what it said. */
  readonly text?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly sessionKey?: string;
  /** What is known of what it has sent. */
  readonly receipt?: "delivered" | "ambiguous" | "undelivered";
  /** Of a row that stands for several missed slots. */
  readonly count?: number;
  /** The earliest start of the next attempt. */
  readonly notBeforeMs?: number;
}
/** Parses an outcome. */
declare const OccurrenceShapeSchema: z.ZodType<OccurrenceShape>;
/** A job with its state. */
interface JobSummary {
  readonly id: string;
  readonly agentId: string;
  readonly spec: JobShape;
  readonly createdAtMs: number;
  /** The session in which it was made. */
  readonly createdIn: string;
  /** Absent: it will not run again. */
  readonly nextAtMs?: number;
  readonly last?: OccurrenceShape;
  /** In a row. */
  readonly failures: number;
  /** Why the gateway has disabled it. */
  readonly disabledBecause?: string;
}
/** Parses a job with its state. */
declare const JobSummarySchema: z.ZodType<JobSummary>;
/** What a job may do. It never has more than its maker had, and its tools are those of `spec.tools`, or those of its session. */
interface JobGrants {
  /** It runs with the owner's authority. Otherwise it runs in the sandbox, and reports to the conversation in which it was made alone. */
  readonly owner: boolean;
  /** The name of its maker, which may be text of others; absent: it was made outside of a conversation, at the command line or on the page. */
  readonly madeBy?: string;
  /** The programs that it runs: their files, and what has allowed them. `mode`: commands ran without asking then. */
  readonly programs: readonly {
    readonly files: readonly string[];
    readonly allowedBy: "owner" | "approval" | "mode";
  }[];
  /** Why its programs are not run now. */
  readonly problem?: string;
}
/** Parses what a job may do. */
declare const JobGrantsSchema: z.ZodType<JobGrants>;
/** The heartbeat of an agent. */
interface HeartbeatSummary {
  readonly agentId: string;
  /** Absent: it is off. */
  readonly on?: {
    /** A duration, such as `30m`. */
    readonly every: string;
    /** `owner`, `last`, `none`, or an address. */
    readonly target: string;
    /** What the agent is asked. */
    readonly prompt: string;
    /** The end is not part of them; times in the agent's zone without a `timezone`. */
    readonly activeHours?: {
      readonly start: string;
      readonly end: string;
      readonly timezone?: string | undefined;
    };
    readonly model?: string;
    readonly sessionKey: string;
    readonly nextAtMs?: number;
    readonly last?: OccurrenceShape;
    /** In a row. */
    readonly failures: number;
  };
}
/** Parses a heartbeat. */
declare const HeartbeatSummarySchema: z.ZodType<HeartbeatSummary>;
/** The kinds of sessions, for lists and filters. */
declare const SESSION_KINDS: readonly ["main", "group", "cron", "hook", "node", "other"];
/** Kind of a session. */
type SessionKind = (typeof SESSION_KINDS)[number];
/** One session in a list. */
interface SessionSummary {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SessionKind;
  /** The person's own name for it. */
  readonly label?: string;
  /** Shown if there is no label: the channel and its name of the conversation. */
  readonly displayName: string;
  readonly channel?: string;
  readonly createdAtMs: number;
  /** Time of the last message. */
  readonly activeAtMs: number;
  readonly running: boolean;
  /** The newest run requested by a person was stopped before it had answered. Only set in lists. */
  readonly interrupted?: boolean;
  readonly model?: string;
  /** Kept at the top of lists. */
  readonly pinned?: true;
  /** Put away, until a person writes in it. */
  readonly archived?: true;
  /** Its own folder, in which the owner's runs work instead of in the agent's workspace. */
  readonly workspace?: string;
  /** Tokens of the context after the last call. */
  readonly contextTokens: number;
  readonly totalTokens: number;
  readonly costUsd?: number;
}
/** Parses a session. */
declare const SessionSummarySchema: z.ZodType<SessionSummary>;
/** A conversation whose title has the words. */
interface SessionTitleHit {
  readonly key: string;
  readonly title: string;
  readonly activeAtMs: number;
}
/** A message that has the words. */
interface SessionTextHit {
  readonly key: string;
  readonly title: string;
  /** That of the transcript; another one than the session has now if the conversation was reset since. */
  readonly sessionId: string;
  readonly isCurrent: boolean;
  /** It is on a branch of the conversation that is not shown; `chat.branch` shows it. */
  readonly isHidden?: true;
  readonly entryId: string;
  readonly turnId?: string;
  readonly role: "user" | "assistant";
  readonly timestampMs: number;
  /** The text around the first match. */
  readonly snippet: string;
  /** Where the words are in the snippet: first and last character, exclusive. */
  readonly matches: readonly (readonly [start: number, end: number])[];
}
/** What a search has found. */
interface SessionSearchResult {
  /** Only on the first page. */
  readonly titles: readonly SessionTitleHit[];
  /** Newest first. */
  readonly hits: readonly SessionTextHit[];
  /** Messages since then were looked at; absent without messages. */
  readonly searchedSinceMs?: number;
  /** There are older messages, which this continues with. */
  readonly cursor?: string;
}
/** Parses what a search has found. */
declare const SessionSearchResultSchema: z.ZodType<SessionSearchResult>;
/** The result of an import or of its dry run. */
interface SessionImportReport {
  readonly imported: readonly {
    readonly key: string;
    readonly sessionId: string;
    readonly entries: number;
    /** Repairs and omissions, as text; the first few. */
    readonly problems: readonly string[];
    /** Where an unreadable transcript was copied to; its session is empty. */
    readonly keptAside?: string;
  }[];
  /** Keys of conversations that existed already. */
  readonly present: readonly string[];
  readonly refused: readonly {
    readonly key: string;
    readonly reason: string;
  }[];
  /** Transcripts in the folder that its index does not name; each can be imported separately. */
  readonly unlisted: readonly string[];
}
/** Parses such a report. */
declare const SessionImportReportSchema: z.ZodType<SessionImportReport>;
/** What a warning is about, for clients that say it in their own words. */
type WarningCode = "channel-failed" | "channel-disconnected" | "channel-degraded" | "messages-late" | "pairing" | "run-failed" | "restart-needed" | "file-unused" | "tools-unusable" | "agent-unusable";
/** A condition of the gateway that its owner should know and can act on. It disappears once the condition ends. */
interface GatewayWarning {
  /** The subject: `config`, `restart`, `storage`, `damage`, `channel:<channel>/<accountId>`, `sharing:<sessionKey>`, `pairing:<code>`, or `run:<agentId>`. One per subject at a time. */
  readonly id: string;
  /** `error`: something does not work. `warning`: it works, but not as it should. */
  readonly level: "warning" | "error";
  readonly text: string;
  /** What to do, unless the text says it. */
  readonly fix?: string;
  /** The same as data: what it is about, and the names and reasons in it; `session`: the key of the conversation that it happened in. Absent for a condition that has its text alone. */
  readonly facts?: {
    readonly code: WarningCode;
    readonly values: Readonly<Record<string, string>>;
  };
}
/** Parses warnings. */
declare const GatewayWarningsSchema: z.ZodType<readonly GatewayWarning[]>;
/** A model provider, for the first-run setup. Keys are identified by their location; their values are never included. */
interface SetupProvider {
  /** The provider part of a model reference. */
  readonly id: string;
  readonly label: string;
  /** Where to create a key or download the server; absent for a provider that only the configuration knows. */
  readonly url?: string;
  /** False for a server that accepts requests without a key. */
  readonly needsKey: boolean;
  /** Location of its key: a file, an environment variable, a setting. Absent if there is none. */
  readonly keyPlace?: string;
  /** Why no key could be read from that location. */
  readonly keyProblem?: string;
  /** True for a local server that responds now. */
  readonly running?: boolean;
  /** The suggested model, without the provider. */
  readonly defaultModel?: string;
}
/** When the assistant wakes itself up, of what setup offers: not at all; every 30 minutes from 8 to 22 o'clock; every 30 minutes, day and night. */
type SetupHeartbeat = "off" | "day" | "always";
/** The current setup, and what can be set up. */
interface SetupState {
  readonly model: {
    /** `provider/model`. */
    readonly reference: string;
    /** `configured`: by the file. `found`: by a key in the environment or a local server. `demo`: neither. */
    readonly source: "configured" | "found" | "demo";
    /** Why it was selected, for display. */
    readonly reason: string;
  };
  /** The default agent. Its name is absent until a person sets it. `other`: the heartbeat is configured in another way than setup offers. */
  readonly agent: {
    readonly id: string;
    readonly name?: string;
    readonly heartbeat: SetupHeartbeat | "other";
  };
  readonly providers: readonly SetupProvider[];
  /** The configured accounts of channels, a channel, or `channel:account`; without those that need no set-up. */
  readonly channels: readonly string[];
}
/** How a test of a provider or a model ends. */
declare const SETUP_CHECK_TYPES: readonly ["works", "missing-key", "refused-key", "no-credit", "unknown-model", "unusable-model", "no-models", "rate-limited", "unreachable", "failed"];
/** The result of a provider test: the finding and what to do. */
interface SetupCheck {
  readonly type: (typeof SETUP_CHECK_TYPES)[number];
  readonly message: string;
  /** The models that support chat, without the provider. */
  readonly models: readonly string[];
}
/** Parses the state of the setup. */
declare const SetupStateSchema: z.ZodType<SetupState>;
/** Parses the result of a test. */
declare const SetupCheckSchema: z.ZodType<SetupCheck>;
/** True if the provider has a key that can be read. */
declare function hasUsableKey({ keyPlace, keyProblem }: SetupProvider): boolean;
/** False if the test found the key missing or refused. Such a key is not worth storing. */
declare function mayKeyBeRight({ type }: Pick<SetupCheck, "type">): boolean;
/** True if the test found that the model cannot be used. */
declare function isModelRefused({ type }: Pick<SetupCheck, "type">): boolean;
/** The models to choose from, without duplicates: the recommended one first, then those that the test found. */
declare function offeredModels({ defaultModel }: SetupProvider, found: readonly string[]): readonly string[];
/** What is said of the heartbeat before setup asks for it. */
declare const HEARTBEAT_OFFER = "The assistant can wake itself up: it looks at what you have written into HEARTBEAT.md in its workspace, and writes to you if there is something to say. That costs nothing while there is nothing to do: without a line in that file, no model is asked. In quiet hours it sleeps, and what was due then is not made up for.";
/** The choices of a heartbeat, with that of the configuration if it is another one. */
declare function offeredHeartbeats({ heartbeat }: SetupState["agent"]): readonly {
  readonly value: SetupHeartbeat | "other";
  readonly label: string;
}[];
/** Who may send direct messages: see `channels.<id>.dmPolicy`. */
type DmPolicy = "pairing" | "allowlist" | "open" | "disabled";
/** In which groups an account answers: see `channels.<id>.groupPolicy`. */
type GroupPolicy = "allowlist" | "open" | "disabled";
/** How a person or a group is admitted. */
type AccessRole = "guest" | "owner" | "group";
/** Who may write to one account, by the configuration. People who were admitted by a code are in `pairing.list`. */
interface AccountAccess {
  readonly dmPolicy: DmPolicy;
  readonly groupPolicy: GroupPolicy;
  /** Ids of people; `*` is everybody. */
  readonly allowFrom: readonly string[];
  /** Ids of groups; `*` stands for every other one. */
  readonly groups: readonly string[];
  /** Ids of owners there. */
  readonly owners: readonly string[];
  /** The form of a person's id and of a group's, in words, as far as they are known. */
  readonly forms: {
    readonly people?: string;
    readonly groups?: string;
  };
}
/** Parses who may write to an account. */
declare const AccountAccessSchema: z.ZodType<AccountAccess>;
/** A channel that this gateway has, or whose package it can install. */
interface KnownChannel {
  readonly id: string;
  /** `ready`: accounts can be added. `installable`: its package is installed first. `unavailable`: `reason` says why, and what to do. */
  readonly state: "ready" | "installable" | "unavailable";
  readonly reason?: string;
  /** Name of its package. */
  readonly package?: string;
  /** The ids of its configured accounts, also of those that are switched off. */
  readonly accounts: readonly string[];
  /** True if its account exists without being configured: there is nothing to set up. */
  readonly isImplicit: boolean;
  /** What it is and what one needs for it, in one line; absent for channels of other makers. */
  readonly about?: string;
}
/** The settings of an account as a form shows them. */
interface ChannelForm {
  /** JSON Schema of the channel's own settings, with `x-secret` at secrets. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The settings that are written; `mark` stands for each secret. Empty for an account that does not exist. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly mark: string;
  readonly exists: boolean;
  /** SHA-256 of the channel's own settings of the account as they are written, or of nothing for an account that does not exist. */
  readonly baseHash: string;
}
/** A setting that was refused, or that an account does little without. */
interface ChannelSettingNote {
  /** With dots for settings inside others: `transport.type`; empty for the account as a whole. */
  readonly key: string;
  readonly message: string;
}
/** The result of saving an account. Nothing was changed if it was refused. */
type ChannelSaving = {
  readonly type: "refused";
  readonly problems: readonly ChannelSettingNote[];
} | {
  readonly type: "saved";
  /** Private files of its secrets, relative to the state directory. */
  readonly credentials: readonly string[];
  /** Settings that are not set, although the account does little without them. */
  readonly advised: readonly ChannelSettingNote[];
};
/** What became of a removed account. */
interface ChannelRemoval {
  /** The key that the configuration does not have any longer. */
  readonly key: string;
  /** The private files of its secrets, which are deleted, relative to the state directory. */
  readonly credentials: readonly string[];
  /** The lists of people and groups that went with it: `allowFrom`, `groups`. */
  readonly admitting: readonly string[];
  /** Messages that waited to be sent there, and are dead letters now. */
  readonly discarded: number;
  /** Approvals and codes that were withdrawn. */
  readonly pairings: number;
  /** Owners who are owners by an id of this channel alone, and stay so. */
  readonly owners: readonly string[];
}
/** What the platform said about a test message. */
type ChannelTest = {
  readonly type: "accepted";
  readonly to: string;
  readonly messageIds: readonly string[];
} | {
  readonly type: "rejected";
  readonly to: string;
  readonly reason: string;
} | {
  readonly type: "ambiguous";
  readonly to: string;
  readonly reason: string;
} | {
  readonly type: "no-recipient";
};
/** Parses a known channel. */
declare const KnownChannelSchema: z.ZodType<KnownChannel>;
/** Parses a form. */
declare const ChannelFormSchema: z.ZodType<ChannelForm>;
/** Parses the result of saving an account. */
declare const ChannelSavingSchema: z.ZodType<ChannelSaving>;
/** Parses what became of a removed account. */
declare const ChannelRemovalSchema: z.ZodType<ChannelRemoval>;
/** Parses what became of a test message. */
declare const ChannelTestSchema: z.ZodType<ChannelTest>;
/** The account as its platform knows it, the permissions that it lacks, why messages do not arrive, and settings there that people should know of. */
interface ChannelProbe {
  readonly account: {
    readonly id: string;
    readonly name?: string;
  };
  readonly missingPermissions: readonly string[];
  readonly problems?: readonly string[];
  readonly notes?: readonly string[];
}
/** One step of a login, to be shown to the owner. */
type ChannelLoginStep = {
  readonly type: "text" | "done";
  readonly text: string;
} | {
  readonly type: "qr";
  readonly content: string;
  readonly text: string;
} | {
  readonly type: "link";
  readonly url: string;
  readonly text: string;
} | {
  readonly type: "ask";
  readonly text: string;
  readonly isSecret: boolean;
} | {
  readonly type: "waiting";
};
/** Parses a probe. */
declare const ChannelProbeSchema: z.ZodType<ChannelProbe>;
/** Parses a step of a login. */
declare const ChannelLoginStepSchema: z.ZodType<ChannelLoginStep>;
/** A slash command. Names are without the slash. */
interface CommandSummary {
  readonly name: string;
  /** Other names of the same command. */
  readonly aliases: readonly string[];
  /** `file`: of the workspace; `command` and `prompt`: of a plugin or a server. */
  readonly type: "built-in" | "skill" | "file" | "command" | "prompt";
  /** One line; of anything but a built-in one it may be text of others. */
  readonly summary: string;
  /** Who may use it in a conversation with others. */
  readonly access: "anyone" | "owner";
  /** What may follow the name, for people: `[ID [DECISION]]`. Absent: nothing is known. */
  readonly hint?: string;
  /** Words that may follow the name first. */
  readonly words: readonly string[];
}
/** Parses a slash command. */
declare const CommandSummarySchema: z.ZodType<CommandSummary>;
/** Largest recording of `media.transcribe`, in bytes: minutes of speech, and with its encoding less than a frame of the socket. */
declare const MAX_RECORDING_BYTES = 72e4;
/** Methods of recordings. */
interface MediaMethods {
  /** Whether recordings can be transcribed: `models.transcription` names a model or a program. */
  "media.state": {
    params: Record<string, never>;
    result: {
      readonly transcription: boolean;
    };
  };
  /**
   * The text of a recording, which is not kept, charged like a person's message. `data` is the file in base64; its kind is found by its bytes. The text
   * is empty if nothing was said. Rejects with `unavailable` without `models.transcription` and if the model or the program fails, and with `invalid-request` for
   * a file that is no recording.
   */
  "media.transcribe": {
    params: {
      readonly data: string;
    };
    result: {
      readonly text: string;
    };
  };
}
/** Characters of a note at most. */
declare const MAX_NOTE_TEXT_CHARS = 9e5;
/** Methods of what an agent remembers; the default agent's without `agentId`. They reject with `not-found` for an unknown agent. */
interface MemoryMethods {
  /** What is indexed, and what is wrong. Changes nothing. */
  "memory.status": {
    params: {
      readonly agentId?: string;
    };
    result: MemoryState;
  };
  /** Searches as `memory_search` does, best hit first; 6 hits, of both sources, by default. `degraded` says why it was less complete than usual. */
  "memory.search": {
    params: {
      readonly agentId?: string;
      readonly query: string;
      readonly maxResults?: number;
      readonly sources?: readonly ("notes" | "sessions")[];
    };
    result: {
      readonly agentId: string;
      readonly hits: readonly MemorySearchHit[];
      readonly degraded?: string;
    };
  };
  /**
   * Brings the index up to date. With `rebuild` every note is read again, and a new index takes the place of the old one when it is whole. `changes` names the
   * first 200 files, `changed` counts them all.
   */
  "memory.index": {
    params: {
      readonly agentId?: string;
      readonly rebuild?: boolean;
    };
    result: {
      readonly status: MemoryState;
      readonly changed: number;
      readonly changes: readonly MemoryFileChange[];
    };
  };
  /** The notes in the workspace, by path. */
  "memory.list": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
      readonly notes: readonly MemoryFile[];
    };
  };
  /** The text of a note. Rejects with `not-found`, and with `conflict` if it is no text, larger than 1 MiB, or reached by a link. */
  "memory.read": {
    params: {
      readonly agentId?: string;
      readonly path: string;
    };
    result: MemoryText;
  };
  /**
   * Writes a note, whose present text becomes a version. `baseHash` is that of `memory.read`; without it the note must not exist. A mark of a secret is kept in a
   * line that was not changed, and refused elsewhere. Rejects with `conflict` if the note is another one than that of `baseHash`; nothing is written then.
   */
  "memory.write": {
    params: {
      readonly agentId?: string;
      readonly path: string;
      readonly text: string;
      readonly baseHash?: string;
    };
    result: MemoryText;
  };
  /** Removes a note, whose text becomes a version. Rejects like `memory.write`. */
  "memory.remove": {
    params: {
      readonly agentId?: string;
      readonly path: string;
      readonly baseHash: string;
    };
    result: {
      readonly agentId: string;
      readonly path: string;
    };
  };
  /** The notes that have versions; with a `path`, the versions of that note, newest first. Changes nothing. */
  "memory.versions": {
    params: {
      readonly agentId?: string;
      readonly path?: string;
    };
    result: {
      readonly agentId: string;
      readonly notes: readonly MemoryNote[];
      readonly versions: readonly MemoryNoteVersion[];
    };
  };
  /** The text of a version, without secrets. Rejects with `not-found` if there is no such version. */
  "memory.version": {
    params: {
      readonly agentId?: string;
      readonly path: string;
      readonly id: string;
    };
    result: {
      readonly text: string;
    };
  };
  /** Writes a version into its note, whose present text becomes a version. Rejects with `not-found`, and with `conflict` if the note cannot be written. */
  "memory.restore": {
    params: {
      readonly agentId?: string;
      readonly path: string;
      readonly id: string;
    };
    result: {
      readonly agentId: string;
      readonly path: string;
    };
  };
  /**
   * Forgets everywhere, for every agent. With `dryRun` it says what would go, and changes nothing. Otherwise the decision is stored and the gateway restarts, since
   * it could say again what it still knows: the start forgets before anything else. It cannot be undone. Rejects with `invalid-request` for a text of less than two
   * characters and an empty time, and with `unavailable` if the gateway could not start again.
   */
  "memory.forget": {
    params: {
      readonly scope: MemoryForgetScope;
      readonly dryRun?: boolean;
    };
    result: MemoryForgetReport;
  };
  /** The entries of `MEMORY.md`, `USER.md` and the daily notes, where they come from, and what is wrong with them. Changes nothing. */
  "memory.audit": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
      readonly notes: readonly MemoryAuditNote[];
    };
  };
}
/** Levels of the log, lowest first. */
declare const LOG_LEVEL_IDS: readonly ["debug", "info", "warn", "error"];
/** Name of a level. */
type LogLevelId = (typeof LOG_LEVEL_IDS)[number];
/** A fact of a line in addition to its message, such as `sessionKey`, `turnId` or `error`. */
interface LogField {
  readonly name: string;
  /** As JSON unless it is a text, or an error with its causes; cut at 2,000 characters. */
  readonly value: string;
}
/** A line of the log, without secrets. */
interface LogEntry {
  /** ISO 8601; absent for a line that the gateway did not write. */
  readonly time?: string;
  readonly level: LogLevelId;
  /** What it is about: an account of a channel, an agent and so on; `gateway` for none of these. */
  readonly source: string;
  readonly message: string;
  /** The other facts of the line, in its order; 50 at most. */
  readonly fields: readonly LogField[];
}
/** A part of the log. */
interface LogPart {
  /** Oldest first. */
  readonly lines: readonly LogEntry[];
  /** What was written after this is read with it. */
  readonly cursor: string;
  /** Lines after the cursor of the request are not in it: they were more than `limit`, or their file is gone. */
  readonly missed?: true;
}
/** Parses a part of the log. */
declare const LogPartSchema: z.ZodType<LogPart>;
/** An event that a turn answers. */
interface TracedInput {
  readonly id: string;
  readonly channel: string;
  readonly accountId: string;
  /** The platform's id of the conversation. */
  readonly conversation: string;
  readonly sender: string;
  readonly eventId: string;
  readonly messageId: string;
  /** When the platform says that it was sent; absent if it does not. */
  readonly sentAtMs?: number;
  /** When it was stored. */
  readonly receivedAtMs: number;
  /** `answered`, `silent`, `dead` and so on. */
  readonly state: string;
  readonly reason?: string;
  /** The beginning. */
  readonly text: string;
}
/** A tool call of a turn. */
interface TracedCall {
  readonly name: string;
  readonly callId: string;
  /** When the model's answer with the call was stored. */
  readonly askedAtMs: number;
  /** When its result was stored; absent without a result. */
  readonly endedAtMs?: number;
  readonly isError?: boolean;
  /** When it waited for a person: for the decision on it, or for answers. Absent if it did not; without `untilMs` that has not ended, or it is not known when. */
  readonly waits?: readonly {
    readonly atMs: number;
    readonly untilMs?: number;
  }[];
}
/** A part of an answer on its way to the platform. */
interface TracedSend {
  readonly id: string;
  readonly purpose: "reply" | "tool" | "notice" | "preview";
  readonly channel: string;
  readonly accountId: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  /** When its state became final: when the platform had taken it, or it was given up; absent until then. */
  readonly settledAtMs?: number;
  readonly attempts: number;
  /** `accepted`: the platform has taken it, as `messageIds`. */
  readonly state: "sending" | "suppressed" | "waiting" | "accepted" | "ambiguous" | "dead" | "replaced";
  readonly reason?: string;
  readonly messageIds: readonly string[];
  /** The beginning. */
  readonly text: string;
}
/** What is stored of one message, from its event to the receipts of its answer. Settled events and sends are kept for 14 days, requests for 30. */
interface MessageTrace {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** Its number in the conversation. */
  readonly turn: number;
  readonly agentId: string;
  readonly kind: string;
  readonly state: "running" | "done" | "aborted" | "failed";
  readonly failure?: {
    readonly code: string;
    readonly message: string;
  };
  /** How often it was started; more than once after crashes. */
  readonly starts: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly usage: RunUsage;
  readonly inputs: readonly TracedInput[];
  /** Oldest first. */
  readonly requests: readonly ContextRequest[];
  readonly calls: readonly TracedCall[];
  readonly sends: readonly TracedSend[];
}
/** Parses a trace. */
declare const MessageTraceSchema: z.ZodType<MessageTrace>;
/** US dollars per million tokens. Absent: unknown. */
interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
/** A model that can be chosen, and what is known of it. */
interface ModelSummary {
  /** `provider/model`. */
  readonly reference: string;
  readonly provider: string;
  /** The provider's own name. */
  readonly id: string;
  readonly alias?: string;
  /** The first that holds: its provider lists it now; the configuration names it; this version knows it. */
  readonly source: "provider" | "configured" | "catalogue";
  /** The default agent uses it. */
  readonly isDefault: boolean;
  /** Its provider has a key that can be read, or needs none. */
  readonly hasKey: boolean;
  /** False if nothing is known of it, so that careful limits hold. */
  readonly isKnown: boolean;
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutput: number;
  readonly input: readonly ("text" | "image")[];
  /** `prompt`: tools are described in the prompt; `none`: it gets no tools. */
  readonly tools: "native" | "prompt" | "none";
  readonly reasoning: boolean;
  /** The levels of thinking that it takes, lowest first. */
  readonly thinkingLevels: readonly ThinkingLevelId[];
  readonly price?: ModelPrice;
}
/** The models of one question. */
interface ModelList {
  /** Reference of the default agent's model. */
  readonly model: string;
  readonly models: readonly ModelSummary[];
  /** Which providers gave no list, and why, for people. */
  readonly problems: readonly string[];
}
/** How a test of one model ended. Everything but `works` needs a person, or a later try. */
interface ModelTest {
  readonly model: string;
  readonly type: SetupCheck["type"];
  /** For people: the finding and, unless it works, what to do. */
  readonly message: string;
  /** Milliseconds until the first word, and until the end; absent if the model was not asked. */
  readonly firstTokenMs?: number;
  readonly durationMs?: number;
  readonly usage?: RunUsage;
}
/** Parses a list of models. */
declare const ModelListSchema: z.ZodType<ModelList>;
/** Parses the result of a test. */
declare const ModelTestSchema: z.ZodType<ModelTest>;
/** An account of a channel; `accountId` is `default` if omitted. */
interface AccountParams$1 {
  readonly channel: string;
  readonly accountId?: string;
}
/**
 * Methods of who may write to an account, by the configuration. Each resolves with what holds afterwards. They reject with `not-found` for an account that is not
 * configured, and with `invalid-request` for an id that matches no one there; then nothing was changed.
 */
interface AccessMethods {
  "access.list": {
    params: AccountParams$1;
    result: AccountAccess;
  };
  /** Admits a person or a group. An owner of the account `default` is the owner on all accounts whose ids are the platform's. */
  "access.allow": {
    params: AccountParams$1 & {
      readonly id: string;
      readonly as: AccessRole;
    };
    result: AccountAccess;
  };
  /** Takes an entry back. People who were admitted by a code stay so until `pairing.revoke`. */
  "access.remove": {
    params: AccountParams$1 & {
      readonly id: string;
      readonly as: AccessRole;
    };
    result: AccountAccess;
  };
  /** Sets who may write at all. `open` for direct messages also needs the entry `*`, which it adds. */
  "access.policy": {
    params: AccountParams$1 & {
      readonly dmPolicy?: DmPolicy;
      readonly groupPolicy?: GroupPolicy;
    };
    result: AccountAccess;
  };
}
/** Methods that show the agents, and which messages are theirs. */
interface AgentMethods {
  "agents.list": {
    params: Record<string, never>;
    result: {
      readonly agents: readonly {
        readonly id: string;
        readonly name: string;
        /** Shown before the name. */
        readonly emoji?: string;
        readonly isDefault: boolean;
        readonly mainSessionKey: string;
        /** Absolute path of its folder. */
        readonly workspace: string;
        /** The model of its next message in a session without an override; absent if it is unusable. */
        readonly model?: string;
      }[];
      /** Conversations that several agents answer; absent if there are none. */
      readonly broadcast?: {
        readonly strategy: "parallel" | "sequential";
        /** The agents in the order of their answers, by the person or the group as the configuration names it. */
        readonly peers: Readonly<Record<string, readonly string[]>>;
      };
    };
  };
  /**
   * Adds an agent to the configuration, and makes its workspace with the files of a new one. These changes reject with `invalid-request` for an agent that does
   * not exist or exists already, and with `unavailable` where the file cannot be changed. `problems`: what is wrong with the configuration since then.
   */
  "agents.add": {
    params: {
      readonly id: string;
      readonly name?: string;
      readonly model?: string;
      readonly workspace?: string;
    };
    result: {
      readonly id: string;
      readonly workspace: string;
      readonly problems: readonly string[];
    };
  };
  /** Changes an agent; `null` removes a setting, so that it takes its default. With `isDefault` the default agent of before is not any longer. */
  "agents.update": {
    params: {
      readonly id: string;
      readonly name?: string | null;
      readonly model?: string | null;
      readonly isDefault?: true;
    };
    result: {
      readonly id: string;
      readonly problems: readonly string[];
    };
  };
  /** Removes an agent with its bindings. Its files and conversations stay. The default agent stays until another one is. */
  "agents.remove": {
    params: {
      readonly id: string;
    };
    result: {
      readonly id: string;
      readonly workspace: string;
    };
  };
  /** Gives messages to an agent; everything in `match` must match. Rejects with `invalid-request` for messages that a binding gives to an agent already. */
  "agents.bind": {
    params: {
      readonly agentId: string;
      readonly match: AgentBinding["match"];
    };
    result: {
      readonly agentId: string;
      readonly problems: readonly string[];
    };
  };
  /** Removes a binding by its place. Rejects with `conflict` if another one is there by now. */
  "agents.unbind": {
    params: {
      readonly agentId: string;
      readonly index: number;
    };
    result: {
      readonly index: number;
    };
  };
  /** The bindings in the order in which they apply, and the agent of messages that match none of them. */
  "agents.bindings": {
    params: Record<string, never>;
    result: {
      readonly bindings: readonly AgentBinding[];
      readonly defaultAgentId: string;
    };
  };
}
/** Methods of tool calls that need the owner's decision. */
interface ApprovalMethods {
  /** Calls that wait, and decisions that hold for later calls; each oldest first. */
  "approvals.list": {
    params: Record<string, never>;
    result: {
      readonly waiting: readonly Approval[];
      readonly grants: readonly Approval[];
    };
  };
  /** Decides on a call that waits. Rejects with `not-found` if there is none with this id, or if it has expired. */
  "approvals.decide": {
    params: {
      readonly id: string;
      readonly decision: ApprovalDecision;
    };
    result: {
      readonly approval: Approval;
    };
  };
  /** Takes back a decision that holds for later calls; false if there is none. */
  "approvals.revoke": {
    params: {
      readonly id: string;
    };
    result: {
      readonly revoked: boolean;
    };
  };
}
/** Methods of received files. */
interface AttachmentMethods {
  /**
   * A part of a file of a message in the session's current conversation, by the id that its entry has: from `offset`, 0 by default, 256 KiB at most. `next` is
   * where it continues. `GET media/<id>?session=<key>` gives the whole file. Rejects with `not-found` if there is no such file, or not any more.
   */
  "attachments.read": {
    params: {
      readonly sessionKey: string;
      readonly id: string;
      readonly offset?: number;
    };
    result: {
      readonly sizeBytes: number;
      /** Of an image, by its bytes; everything else is to be saved, not shown. */
      readonly imageType?: string;
      /** Base64. */
      readonly data: string;
      readonly next?: number;
    };
  };
}
/** An account of a channel; `accountId` is `default` if omitted. */
interface AccountParams {
  readonly channel: string;
  readonly accountId?: string;
}
/** Methods of single channels. They reject with `not-found` for an account that is not configured, and with `unavailable` if the channel does not support the method. */
interface ChannelMethods {
  /** The channels of this build, of installed packages, and those whose package `plugins.install` installs by their id. */
  "channels.list": {
    params: Record<string, never>;
    result: {
      readonly channels: readonly KnownChannel[];
    };
  };
  /** The settings of an account, or of a new one. */
  "channels.form": {
    params: AccountParams;
    result: ChannelForm;
  };
  /**
   * Writes the channel's own settings of an account, new or existing, all of them; what every account has stays. Secrets are kept in private files, which the
   * configuration refers to; `mark` keeps the one that is there. They are checked before anything is written, and used at once. `baseHash` is that of
   * `channels.form`: rejects with `conflict` if the settings were changed since, or the account was added or removed; nothing is written then. Without it the
   * present ones are replaced.
   */
  "channels.save": {
    params: AccountParams & {
      readonly settings: Readonly<Record<string, unknown>>;
      readonly baseHash?: string;
    };
    result: ChannelSaving;
  };
  /**
   * Removes an account from the configuration, with the files of its secrets and its approvals. What waits to be sent there becomes dead letters, which can be
   * replayed: otherwise the next account of this name would send it.
   */
  "channels.remove": {
    params: AccountParams;
    result: ChannelRemoval;
  };
  /** Starts an account again, with the secrets of now. Resolves once it has started, or failed for the first time: its health says which. */
  "channels.restart": {
    params: AccountParams;
    result: {
      readonly restarted: true;
    };
  };
  /**
   * Sends a message at once, past the outbox, and resolves with what the platform said. `to` is a person or a conversation, by id or as the channel knows it; without
   * it the owner: the one who was admitted by a code, or the first whom the configuration names.
   */
  "channels.test": {
    params: AccountParams & {
      readonly text: string;
      readonly to?: string;
    };
    result: ChannelTest;
  };
  /** The capabilities that the channel declares. */
  "channels.capabilities": {
    params: AccountParams;
    result: {
      readonly capabilities: Readonly<Record<string, unknown>>;
    };
  };
  /** Checks the credential and the permissions by a call that is free of charge. */
  "channels.probe": {
    params: AccountParams;
    result: ChannelProbe;
  };
  /**
   * Starts a login, or continues the one with this id; `answer` answers a step of type `ask`. Resolves with the next step, or after 20 seconds with `waiting`:
   * then call it again. After `done` the channel is restarted. A login expires after ten minutes without a call, and ends with `channels.cancelLogin`.
   */
  "channels.login": {
    params: AccountParams & {
      readonly loginId?: string;
      readonly answer?: string;
    };
    result: {
      readonly loginId: string;
      readonly step: ChannelLoginStep;
    };
  };
  /** Ends a login and its steps in the channel; calls of `channels.login` that wait for a step reject. `cancelled` is false if it has ended already. */
  "channels.cancelLogin": {
    params: {
      readonly loginId: string;
    };
    result: {
      readonly cancelled: boolean;
    };
  };
}
/** A file that a turn changed, by its absolute path. `created`: it did not exist before. `not-kept`: it was too large. */
interface CheckpointFile {
  readonly path: string;
  readonly before: "created" | "kept" | "not-kept";
  /** An earlier restoration left it as it was, because something else had changed it. */
  readonly refused: boolean;
}
/** A turn that changed files. */
interface CheckpointTurn {
  readonly turnId: string;
  readonly atMs: number;
  readonly files: readonly CheckpointFile[];
}
/** Methods of the files that turns changed. */
interface CheckpointMethods {
  /** The newest turns of a session that changed files and were not undone, newest first: those that `/undo` takes back. `limit` 20 by default. */
  "checkpoints.list": {
    params: {
      readonly sessionKey: string;
      readonly limit?: number;
    };
    result: {
      readonly turns: readonly CheckpointTurn[];
    };
  };
}
/** Methods of slash commands. */
interface CommandMethods {
  /**
   * The slash commands that the owner can write to an agent: that of the session, else `agentId`, else the default one. Rejects with `not-found` for an unknown
   * agent.
   */
  "commands.list": {
    params: {
      readonly sessionKey?: string;
      readonly agentId?: string;
    };
    result: {
      readonly commands: readonly CommandSummary[];
    };
  };
}
/** Methods of the configuration file. */
interface ConfigMethods {
  /**
   * The JSON Schema of the file with every channel of this build: titles, descriptions and defaults, and `x-secret`, `x-restart` and `x-inactive` where they
   * hold.
   */
  "config.schema": {
    params: Record<string, never>;
    result: {
      readonly schema: Readonly<Record<string, unknown>>;
    };
  };
  /** The file's text, its values and its problems, without secrets. */
  "config.get": {
    params: Record<string, never>;
    result: ConfigView;
  };
  /**
   * Changes the file by a JSON merge patch (RFC 7396) or by its whole text, of which exactly one is given, and applies it at once. Comments stay. With `dryRun`
   * nothing is written. Rejects with `conflict` if the file is not the one of `baseHash`, and with `invalid-request` if the result would not be valid; nothing is
   * written then. The error has `problems`, and a line for each in its message.
   */
  "config.patch": {
    params: {
      readonly baseHash: string;
      readonly patch?: Readonly<Record<string, unknown>>;
      readonly text?: string;
      readonly dryRun?: boolean;
    };
    result: ConfigPatchResult;
  };
}
/**
 * Methods of scheduled jobs, for the owner. `job` is an id, or a name that one job alone has. They reject with `not-found` for an unknown job or agent, and with
 * `invalid-request` for what is refused: the message says what to do. Secrets of webhooks are never returned.
 */
interface CronMethods {
  /** The jobs of an agent, or of all, oldest first. */
  "cron.list": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly jobs: readonly JobSummary[];
    };
  };
  "cron.get": {
    params: {
      readonly job: string;
    };
    result: {
      readonly job: JobSummary;
      readonly grants: JobGrants;
    };
  };
  /** Makes a job of the owner's. Without an address it reports to the owner's newest direct conversation with the agent. */
  "cron.add": {
    params: {
      readonly agentId?: string;
      readonly spec: JobShape;
    };
    result: {
      readonly job: JobSummary;
    };
  };
  /** The parts of `change` replace those of the job. `unset` names parts that take their default. */
  "cron.update": {
    params: {
      readonly job: string;
      readonly change: Partial<JobShape>;
      readonly unset?: readonly OptionalJobPart[];
    };
    result: {
      readonly job: JobSummary;
    };
  };
  /** Removes it with its outcomes, and stops its run. */
  "cron.remove": {
    params: {
      readonly job: string;
    };
    result: {
      readonly job: JobSummary;
    };
  };
  /** Runs it at once, besides its schedule. Resolves when the run is stored, before it ends. */
  "cron.run": {
    params: {
      readonly job: string;
    };
    result: {
      readonly job: JobSummary;
      readonly slotMs: number;
    };
  };
  /** Outcomes, newest slot first; 20 by default. */
  "cron.runs": {
    params: {
      readonly job: string;
      readonly limit?: number;
    };
    result: {
      readonly job: JobSummary;
      readonly runs: readonly OccurrenceShape[];
    };
  };
  /** The next instants of a schedule that is being written; 10 by default. */
  "cron.preview": {
    params: {
      readonly agentId?: string;
      readonly schedule: ScheduleShape;
      readonly count?: number;
    };
    result: {
      readonly instantsMs: readonly number[];
      readonly timezone: string;
    };
  };
}
/** Methods of stored model requests. */
interface ContextMethods {
  /** The stored model requests of a session, newest first. `limit` 50 by default, 200 at most; `before` from the previous page. */
  "context.list": {
    params: {
      readonly sessionKey: string;
      readonly limit?: number;
      readonly before?: string;
    };
    result: {
      readonly requests: readonly ContextRequest[];
      readonly before?: string;
    };
  };
  /**
   * The content of one model request: by `id`, by `turn` (its number in the conversation from 1, or its id) and `request` (its number in the turn; defaults to
   * the last), otherwise the newest. `diff` compares with the last request of another turn, or with the previous one.
   */
  "context.report": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly diff?: number | "previous";
      /** Include texts; sizes only by default. */
      readonly texts?: boolean;
    };
    result: ContextReport;
  };
  /** Replays a stored request, to its model or another. The answer is sent as `replay` events and returned as the result; the conversation does not change. */
  "context.replay": {
    params: {
      readonly sessionKey?: string;
      readonly id?: string;
      readonly turn?: number | string;
      readonly request?: number;
      readonly model?: string;
      /** Chosen by the caller; its `replay` events carry it. */
      readonly replayId: string;
    };
    result: ReplayResult;
  };
}
/** Methods of dead letters. */
interface DeadLetterMethods {
  /** Dead letters, newest first. `limit` 50 by default, 200 at most; `cursor` from the previous page. */
  "deadletters.list": {
    params: {
      readonly type?: DeadLetter["type"];
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: {
      readonly letters: readonly DeadLetter[];
      readonly cursor?: string;
    };
  };
  /** One dead letter with its payload: the received message, or the part that was to be sent. */
  "deadletters.show": {
    params: {
      readonly id: string;
    };
    result: {
      readonly letter: DeadLetter;
      readonly payload?: unknown;
    };
  };
  /** Retries a dead letter with its attempts reset. One that was possibly delivered is rejected with `conflict` unless `risk` is true. */
  "deadletters.replay": {
    params: {
      readonly id: string;
      readonly risk?: boolean;
    };
    result: {
      readonly replayed: true;
      readonly sessionKey: string;
    };
  };
  /** Purges dead letters by id, or those that failed before a time. Returns the number of purged ones. */
  "deadletters.purge": {
    params: {
      readonly ids?: readonly string[];
      readonly failedBeforeMs?: number;
    };
    result: {
      readonly purged: number;
    };
  };
}
/** Methods of editors that do something for the runs of their sessions. */
interface EditorMethods {
  /**
   * Offers the editor's files, terminals and MCP servers to the owner's runs in a session, until this connection ends. Only a connection from this machine may;
   * `attached` is false if another one has done so before. `problems`: what is left out, for people.
   */
  "editor.attach": {
    params: {
      readonly sessionKey: string;
    } & EditorOffer;
    result: {
      readonly attached: boolean;
      readonly problems: readonly string[];
    };
  };
  /** Withdraws the offer; false if this connection has made no offer. */
  "editor.detach": {
    params: {
      readonly sessionKey: string;
    };
    result: {
      readonly detached: boolean;
    };
  };
  /** Answers an `editor-request` of this connection; false if it does not wait any longer. */
  "editor.answer": {
    params: {
      readonly id: string;
      readonly answer: EditorAnswer;
    };
    result: {
      readonly taken: boolean;
    };
  };
}
/** The files of a workspace that say who an agent is and how it works, in the order in which people read them. Notes (`MEMORY.md`) are the memory's. */
declare const WORKSPACE_FILES: readonly ["SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"];
/** Name of such a file. */
type WorkspaceFileName = (typeof WORKSPACE_FILES)[number];
/** UTF-16 units of such a file at most; prompts show far less of it. */
declare const MAX_WORKSPACE_FILE_CHARS = 1e5;
/** Bytes of a knowledge file at most. */
declare const MAX_KNOWLEDGE_FILE_BYTES = 2e7;
/** Bytes of one part of an upload at most. */
declare const MAX_UPLOAD_PART_BYTES: number;
/** A file that says who an agent is, or could. */
interface WorkspaceFile {
  readonly path: WorkspaceFileName;
  readonly isThere: boolean;
  readonly sizeBytes: number;
  /** When it was last changed; absent if it is not there. */
  readonly changedAtMs?: number;
  /** Estimated tokens of it in every prompt of a new conversation; 0 if it is empty or not shown. */
  readonly promptTokens: number;
  /** Prompts show its beginning only: it is longer than the limits allow. */
  readonly isCut: boolean;
  /** How many earlier texts are kept. */
  readonly versions: number;
}
/** A file in the folder `knowledge` of a workspace. */
interface KnowledgeFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly changedAtMs: number;
}
/** What a file held until it was changed. */
interface WorkspaceFileVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others. */
  readonly untrusted: boolean;
}
/** Parses a file of a workspace. */
declare const WorkspaceFileSchema: z.ZodType<WorkspaceFile>;
/** Parses a knowledge file. */
declare const KnowledgeFileSchema: z.ZodType<KnowledgeFile>;
/** Parses a version. */
declare const WorkspaceFileVersionSchema: z.ZodType<WorkspaceFileVersion>;
/**
 * Methods of the files in an agent's workspace; the default agent's without `agentId`. They reject with `not-found` for an unknown agent, and with `unavailable`
 * for a file that cannot be read or written.
 */
interface FileMethods {
  /** The files that say who the agent is, those that are not there included, and its knowledge files by name. Changes nothing. */
  "files.list": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
      /** Absolute path of the folder. */
      readonly workspace: string;
      readonly files: readonly WorkspaceFile[];
      /** What a changed file held until then is kept (`tools.checkpoints`). */
      readonly keepsVersions: boolean;
      /** In the folder `knowledge`; the first 500 by name. */
      readonly knowledge: readonly KnowledgeFile[];
    };
  };
  /** The text of a file, empty for one that is not there. Rejects with `too-large` for more than 100,000 characters. */
  "files.read": {
    params: {
      readonly agentId?: string;
      readonly path: WorkspaceFileName;
    };
    result: {
      readonly agentId: string;
      readonly path: WorkspaceFileName;
      readonly text: string;
      readonly baseHash: string;
    };
  };
  /**
   * Writes a file; its present text becomes a version. `baseHash` is that of `files.read`: rejects with `conflict` if the file has changed since. New
   * conversations have the new text; others are told that it has changed.
   */
  "files.write": {
    params: {
      readonly agentId?: string;
      readonly path: WorkspaceFileName;
      readonly text: string;
      readonly baseHash: string;
    };
    result: {
      readonly agentId: string;
      readonly path: WorkspaceFileName;
      readonly baseHash: string;
    };
  };
  /** What a file held before its changes, newest first. */
  "files.versions": {
    params: {
      readonly agentId?: string;
      readonly path: WorkspaceFileName;
    };
    result: {
      readonly agentId: string;
      readonly path: WorkspaceFileName;
      readonly versions: readonly WorkspaceFileVersion[];
    };
  };
  /** The text of a version. Rejects with `not-found` if there is no such version. */
  "files.version": {
    params: {
      readonly agentId?: string;
      readonly path: WorkspaceFileName;
      readonly id: string;
    };
    result: {
      readonly text: string;
    };
  };
  /** Writes a version into its file, whose present text becomes a version. Rejects with `not-found` if there is no such version. */
  "files.restore": {
    params: {
      readonly agentId?: string;
      readonly path: WorkspaceFileName;
      readonly id: string;
    };
    result: {
      readonly agentId: string;
      readonly path: WorkspaceFileName;
      readonly baseHash: string;
    };
  };
  /**
   * Puts a file into the folder `knowledge`, in parts of 384 KiB at most, in order: `offset` is what was sent before, `data` base64. After the last part the
   * result has the name of the file, with a number if there was one of this name. Parts are kept for five minutes; rejects with `conflict` for a part that does
   * not follow what came before, after which the upload begins again at 0. `too-large`: above 20 MB, or the folder is full.
   */
  "files.add": {
    params: {
      readonly agentId?: string;
      readonly name: string;
      /** Chosen by the client, another one for each file. */
      readonly uploadId: string;
      readonly sizeBytes: number;
      readonly offset: number;
      readonly data: string;
    };
    result: {
      readonly agentId: string;
      readonly receivedBytes: number;
      readonly added?: KnowledgeFile;
    };
  };
  /** Removes a knowledge file. Rejects with `not-found` if no file has this name. */
  "files.remove": {
    params: {
      readonly agentId?: string;
      readonly name: string;
    };
    result: {
      readonly agentId: string;
      readonly name: string;
    };
  };
}
/** Methods of the gateway itself. */
interface GatewayMethods {
  status: {
    params: Record<string, never>;
    result: GatewayStatus;
  };
  /** Warnings about the gateway for its owner, most severe first. Changes are sent as `warnings-change` events. */
  "warnings.list": {
    params: Record<string, never>;
    result: {
      readonly warnings: readonly GatewayWarning[];
    };
  };
  /** Unacknowledged damage of the stored state, oldest first. */
  "damage.list": {
    params: Record<string, never>;
    result: {
      readonly events: readonly DamageEvent[];
    };
  };
  /** Acknowledges damage: the named events, or all without ids. Returns the acknowledged events. */
  "damage.acknowledge": {
    params: {
      readonly ids?: readonly string[];
    };
    result: {
      readonly acknowledged: readonly DamageEvent[];
    };
  };
  /**
   * Re-reads the configuration file at once, and applies it if it is valid. With `force` an unchanged file is applied again, for a change in something that it
   * refers to (a key in a file, the gateway's token).
   */
  "config.reload": {
    params: {
      readonly force?: boolean;
    };
    result: ConfigReloadResult;
  };
  /** Restarts the gateway by a helper process, with the current environment. */
  "gateway.restart": {
    params: Record<string, never>;
    result: {
      readonly restarting: true;
    };
  };
  /** Drains and stops the gateway. */
  "gateway.shutdown": {
    params: {
      readonly reason?: string;
    };
    result: {
      readonly stopping: true;
    };
  };
}
/** Methods of heartbeats, whose settings are in the configuration; the default agent's without `agentId`. They reject with `not-found` for an unknown agent. */
interface HeartbeatMethods {
  /** One for each agent. */
  "heartbeat.list": {
    params: Record<string, never>;
    result: {
      readonly heartbeats: readonly HeartbeatSummary[];
    };
  };
  /** Outcomes, newest first; 20 by default. */
  "heartbeat.runs": {
    params: {
      readonly agentId?: string;
      readonly limit?: number;
    };
    result: {
      readonly agentId: string;
      readonly runs: readonly OccurrenceShape[];
    };
  };
  /** Runs one now. Resolves when that is stored, before it ends. Rejects with `conflict` if the heartbeat is off or runs. */
  "heartbeat.run": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
    };
  };
}
/** Methods of the log. */
interface LogMethods {
  /**
   * The newest lines of the log, or those written after `after`, the cursor of an earlier part, from at most a megabyte of it. `level` is the lowest one that is
   * wanted, `source` that of the lines or the beginning of it, and `text` is in them, ignoring case. `limit` 200 by default; of more lines the newest are kept.
   */
  "logs.tail": {
    params: {
      readonly level?: LogLevelId;
      readonly source?: string;
      readonly text?: string;
      readonly limit?: number;
      readonly after?: string;
    };
    result: LogPart;
  };
}
/** Methods of single messages. */
interface MessageMethods {
  /**
   * Everything stored of one message: its event, its turn with requests and tool calls, and the sends of its answer with their receipts. By `entryId`, that of any
   * message of the conversation, or by `turn`, its number from 1 or its id; otherwise the newest turn. Rejects with `not-found` if there is no such turn, or
   * if the message belongs to another session than a named `sessionKey`. Without one, ids are of any session, and numbers of the default agent's main session.
   */
  "messages.trace": {
    params: {
      readonly sessionKey?: string;
      readonly entryId?: string;
      readonly turn?: number | string;
    };
    result: MessageTrace;
  };
}
/** Methods of models. */
interface ModelMethods {
  /**
   * The models that the configuration names, and those that this version knows of the providers with a key; with `all` of every provider. With `ask` the
   * providers that have a key, and local servers, are asked for their lists, which costs nothing; these replace what this version knows. `provider` leaves out the
   * others. Rejects with `invalid-request` if the configuration file cannot be used.
   */
  "models.list": {
    params: {
      readonly provider?: string;
      readonly all?: boolean;
      readonly ask?: boolean;
    };
    result: ModelList;
  };
  /**
   * Tests one model, by its reference or an alias: first by calls that are free of charge, then, if these find nothing, by one short question, which is charged
   * like a person's message. Ends after a minute at most. The default agent's model without `model`.
   */
  "models.test": {
    params: {
      readonly model?: string;
    };
    result: ModelTest;
  };
}
/** Pairing methods, which admit or reject unknown senders. */
interface PairingMethods {
  /** Pending requests and admitted senders, each oldest request first. */
  "pairing.list": {
    params: Record<string, never>;
    result: {
      readonly pending: readonly PairingRequest[];
      readonly approved: readonly PairedSender[];
    };
  };
  /**
   * Admits the sender with this code. `owner` is true if the sender became the owner: the first one ever if there is no owner, unless `guest` is true. Rejects
   * with `not-found` for a code that is unknown, expired or already decided, and with `conflict` if the owner could not be stored; then nothing was approved.
   */
  "pairing.approve": {
    params: {
      readonly code: string;
      readonly guest?: boolean;
    };
    result: {
      readonly sender: PairedSender;
      readonly owner: boolean;
    };
  };
  /** Rejects the request with this code, without a reply to its sender. */
  "pairing.reject": {
    params: {
      readonly code: string;
    };
    result: {
      readonly request: PairingRequest;
    };
  };
  /** Revokes an approval; false if there is none. */
  "pairing.revoke": {
    params: {
      readonly channel: string;
      readonly accountId: string;
      readonly senderId: string;
    };
    result: {
      readonly revoked: boolean;
    };
  };
}
declare const PART_TYPES: readonly ["channel", "tools", "hooks", "models", "memory", "commands", "routes", "skills", "prompts", "mcp", "lsp"];
/** Something that a package provides. */
interface PluginPart {
  readonly type: (typeof PART_TYPES)[number];
  /** The channel or the plugin; absent for skills, commands in files and servers. */
  readonly id?: string;
  /** Names of its tools, hooks, models, commands, routes or servers; the folder of skills or commands in files. Text of others. */
  readonly names: readonly string[];
}
/** A package of extensions. */
interface PluginPackage {
  readonly name: string;
  /** `deployment`: a part of the folder that the gateway runs in. */
  readonly source: "built-in" | "installed" | "deployment";
  /** Absent for a package that cannot be read. */
  readonly version?: string;
  readonly provides: readonly PluginPart[];
  /** What it says that it needs, such as `network:example.com`. */
  readonly permissions: readonly string[];
  /** Parts of a bundle of another product that are not used. */
  readonly unused: readonly string[];
  /** Why it, or a part of it, is not used. */
  readonly problems: readonly string[];
  /** It can be switched off: it has plugins or servers. */
  readonly canSwitch: boolean;
  readonly isEnabled: boolean;
}
/** Something that the scan of a skill found. It runs nothing, and a clean scan proves nothing. */
interface ScanFinding {
  /** The rule, for programs. */
  readonly rule: string;
  readonly severity: "severe" | "notice";
  readonly meaning: string;
  readonly path: string;
  /** From 1; absent if the whole file is meant. */
  readonly line?: number;
  readonly excerpt?: string;
}
/** What a package would do, before it is accepted. */
interface PluginPlan {
  readonly name: string;
  readonly version: string;
  /** The version that it replaces; absent for a new package. */
  readonly replaces?: string;
  readonly provides: readonly PluginPart[];
  /** What an update adds and reaches further than its permissions say. */
  readonly added: readonly PluginPart[];
  /** Its servers, each with the program that it runs or the address that it asks. Text of others. */
  readonly servers: readonly {
    readonly name: string;
    readonly runs: string;
  }[];
  readonly permissions: readonly string[];
  /** Those that the replaced version did not have; all of a new package. */
  readonly addedPermissions: readonly string[];
  /**
   * What runs its code. `gateway`: the gateway's process, without limits. `server`: programs with the rights of the gateway's user, in the sandbox of the
   * conversation if it has one. `plugin`: a process of its own that gets network and secrets through the gateway alone. `nothing`: instructions for the model.
   */
  readonly reach: "gateway" | "server" | "plugin" | "nothing";
  /** Some of its routes answer everyone who reaches the gateway, without a token. */
  readonly hasPublicRoutes: boolean;
  readonly unused: readonly string[];
  /** In its skills and commands, severe ones first. */
  readonly findings: readonly ScanFinding[];
  /** Names the content that was looked at, for `accept`. */
  readonly digest: string;
}
/** A package that is being installed. */
interface PluginWork {
  readonly type: "install" | "update" | "remove";
  /** The package as it was written. */
  readonly spec: string;
  /** `fetching` it and what it needs, `checking` it, or `activating` it. */
  readonly step: "fetching" | "checking" | "activating";
  readonly startedAtMs: number;
}
/** Parses a package. */
declare const PluginPackageSchema: z.ZodType<PluginPackage>;
/** Parses a finding. */
declare const ScanFindingSchema: z.ZodType<ScanFinding>;
/** Parses what a package would do. */
declare const PluginPlanSchema: z.ZodType<PluginPlan>;
/** Parses what is being done. */
declare const PluginWorkSchema: z.ZodType<PluginWork>;
/** What becomes of a package that is to be installed. */
type PluginInstallation = {
  readonly type: "asks";
  readonly plan: PluginPlan;
  readonly isChanged: boolean;
} | {
  readonly type: "installed";
  readonly name: string;
  readonly version: string;
  /** Ids of its channels, which are set up next. */
  readonly channels: readonly string[];
  readonly problems: readonly string[];
  readonly needsRestart: boolean;
};
/** A package to install. */
interface PluginOrder {
  /** An absolute folder or tarball of the gateway's machine, an address, `name@version`, a name of the release's list, or the id of an `installable` channel. */
  readonly spec: string;
  /** `digest` of the plan that the owner has accepted. */
  readonly accept?: string;
  /** Severe findings were accepted, too. */
  readonly acceptSevere?: boolean;
}
/**
 * Methods of packages of extensions. Those that change something reject with `conflict` while another change runs, for a package that cannot be used, and where what is
 * there is in the way, and with `invalid-request` for a name or a source that means nothing; then nothing has changed.
 */
interface PluginMethods {
  /** The packages, and what is being installed now. Runs no code of them. */
  "plugins.list": {
    params: Record<string, never>;
    result: {
      readonly packages: readonly PluginPackage[];
      readonly work?: PluginWork;
    };
  };
  /** Fetches and checks a package, and installs it once what it may do was accepted. Runs no code of it. It may take minutes. */
  "plugins.install": {
    params: PluginOrder;
    result: PluginInstallation;
  };
  /** Replaces an installed package, named by itself or by its source, by another version. Asks only for what that may do more. */
  "plugins.update": {
    params: PluginOrder;
    result: PluginInstallation;
  };
  /** Removes an installed package with the logins of its servers. Rejects with `conflict` while one of its channels is configured, unless `force`. */
  "plugins.remove": {
    params: {
      readonly name: string;
      readonly force?: boolean;
    };
    result: {
      readonly name: string;
    };
  };
  /** Uses the plugins and servers of a package. Rejects with `invalid-request` for a package that has none. */
  "plugins.enable": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
      readonly problems: readonly string[];
    };
  };
  /** Uses them no longer. The package stays, with its settings. */
  "plugins.disable": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
      readonly problems: readonly string[];
    };
  };
}
/** A server that gives tools. Its name, its place and the names of its tools are text of others. */
interface ToolServer {
  readonly kind: "mcp" | "lsp";
  readonly name: string;
  /** The package that brings it; absent for one of the configuration or of this machine. */
  readonly package?: string;
  /** The command with its arguments, or the address; absent for a language server whose program is not found. Without secrets. */
  readonly place?: string;
  /** Of an MCP server: its texts count as instructions. */
  readonly isTrusted?: boolean;
  readonly isEnabled: boolean;
  /** A well-known language server that is installed, and not configured. */
  readonly isDetected: boolean;
  /** Of a language server. */
  readonly languages: readonly string[];
  /** Its own names of its tools when it last ran; absent if it never did. */
  readonly tools?: readonly string[];
  /** Why it cannot be used now. */
  readonly problem?: string;
}
/** Parses a server. */
declare const ToolServerSchema: z.ZodType<ToolServer>;
/** Methods of MCP servers and language servers; for the workspace of the default agent without `agentId`. */
interface ServerMethods {
  /** The servers that are configured or that packages bring, and well-known language servers that are installed. Starts none. */
  "servers.list": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
      readonly servers: readonly ToolServer[];
    };
  };
  /**
   * Asks a server for its tools now, in up to 90 seconds. An MCP server is ended and reached again, in the gateway itself; a language server is started apart,
   * and ended. Rejects with `not-found` for an unknown one, and for one that is off.
   */
  "servers.test": {
    params: {
      readonly agentId?: string;
      readonly kind: "mcp" | "lsp";
      readonly name: string;
    };
    result: {
      readonly works: boolean;
      readonly tools: readonly string[];
      /** Why it does not work. */
      readonly problem?: string;
      readonly durationMs: number;
    };
  };
}
/** Methods of the session list. */
interface SessionMethods {
  /**
   * Newest activity first. `limit` 50 by default, 200 at most; `cursor` from the previous page. With `kinds` or `exceptSubagents` a page can be shorter than
   * `limit` although more follow: a page scans 200 sessions at most.
   */
  "sessions.list": {
    params: {
      readonly agentId?: string;
      readonly kinds?: readonly SessionKind[];
      /** Leaves out the sessions of sub-agents. */
      readonly exceptSubagents?: boolean;
      /** Only those that are pinned. */
      readonly pinned?: true;
      readonly activeMinutes?: number;
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: {
      readonly sessions: readonly SessionSummary[];
      readonly cursor?: string;
    };
  };
  /**
   * Searches the titles and messages of all sessions, newest first, for every word of `text`, of any script, ignoring case. Each request looks at messages for a
   * second at most, so that a page may have few hits although `cursor` says that there are older messages. `limit` 20 by default.
   */
  "sessions.search": {
    params: {
      readonly text: string;
      readonly agentId?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    result: SessionSearchResult;
  };
  /** A session with all known fields, named as in a `sessions.json`. */
  "sessions.show": {
    params: {
      readonly key: string;
    };
    result: {
      readonly session: SessionSummary;
      readonly entry: Readonly<Record<string, unknown>>;
    };
  };
  /**
   * The next lines of a session's plain file, each with its line break; the first one is its header. `after` and `sessionId` are those of the previous part; if
   * the result has no `after`, it was the last part.
   */
  "sessions.export": {
    params: {
      readonly key: string;
      readonly sessionId?: string;
      readonly after?: string;
    };
    result: {
      readonly sessionId: string;
      readonly lines: readonly string[];
      readonly after?: string;
    };
  };
  /**
   * Imports a folder with a `sessions.json`, or one transcript, from an absolute path on the gateway's machine. With `agentId` everything is assigned to that
   * agent; `key` is for a single transcript; `dryRun` only reports.
   */
  "sessions.import": {
    params: {
      readonly path: string;
      readonly agentId?: string;
      readonly key?: string;
      readonly dryRun?: boolean;
    };
    result: SessionImportReport;
  };
  /** Finds a session by key (exact, then ignoring case if that is unique) or by label. */
  "sessions.resolve": {
    params: {
      readonly key?: string;
      readonly label?: string;
      readonly agentId?: string;
    };
    result: {
      readonly session: SessionSummary;
    };
  };
  /**
   * Begins a session of the owner's. In `workspace`, an absolute path on the gateway's machine, the owner's runs of the session work instead of in the agent's
   * workspace. Rejects with `conflict` if the session exists, with `not-found` for an unknown agent, and with `invalid-request` for a folder that cannot be used.
   */
  "sessions.create": {
    params: {
      readonly key: string;
      readonly workspace?: string;
      readonly displayName?: string;
    };
    result: {
      readonly session: SessionSummary;
    };
  };
  /** Changes the session's own settings; `null` clears one. A `workspace` is checked as by `sessions.create`. */
  "sessions.patch": {
    params: {
      readonly key: string;
      readonly label?: string | null;
      readonly sendPolicy?: "allow" | "deny" | null;
      readonly pinned?: boolean;
      readonly archived?: boolean;
      readonly workspace?: string | null;
    };
    result: {
      readonly session: SessionSummary;
    };
  };
  /** What can be chosen for a session and said in it; also for one that does not exist yet. */
  "sessions.settings": {
    params: {
      readonly key: string;
    };
    result: SessionSettings;
  };
  /** Chooses settings of an existing session; `null`: as configured. Rejects with `invalid-request` for a model that cannot be used. */
  "sessions.choose": {
    params: {
      readonly key: string;
      readonly mode?: SessionModeId;
      readonly model?: string | null;
      readonly thinking?: ThinkingLevelId | null;
    };
    result: SessionSettings;
  };
  /** Resets the conversation; the old transcript is kept. */
  "sessions.reset": {
    params: {
      readonly key: string;
    };
    result: {
      readonly session: SessionSummary;
    };
  };
  /** Deletes a session; its file stays as `<id>.jsonl.deleted.<time>` until maintenance. A running turn is aborted first. */
  "sessions.delete": {
    params: {
      readonly key: string;
    };
    result: {
      readonly deleted: boolean;
    };
  };
}
/** Methods of setup. */
interface SetupMethods {
  /** The current setup, and the known model providers. */
  "setup.state": {
    params: Record<string, never>;
    result: SetupState;
  };
  /** Tests a provider by calls that are free of charge, with `key` or the configured one; with `model`, also whether it offers that model. */
  "setup.check": {
    params: {
      readonly provider: string;
      readonly key?: string;
      readonly model?: string;
    };
    result: SetupCheck;
  };
  /** Stores a provider's key in a file that the configuration refers to, and applies it at once. `keyPlace` is that file. */
  "setup.key": {
    params: {
      readonly provider: string;
      readonly key: string;
    };
    result: {
      readonly keyPlace: string;
    };
  };
  /**
   * Removes a provider's key from the configuration, with the file that `setup.key` made for it, and applies it at once. `keyPlace` is where it was. Rejects with
   * `invalid-request` without a key of its own, also if the environment has one.
   */
  "setup.forgetKey": {
    params: {
      readonly provider: string;
    };
    result: {
      readonly keyPlace: string;
    };
  };
  /** Sets `provider/model` as the model of the default agent. */
  "setup.model": {
    params: {
      readonly model: string;
    };
    result: {
      readonly model: string;
    };
  };
  /** Sets the default agent's name in its IDENTITY.md. */
  "setup.name": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
    };
  };
  /** Sets when the default agent wakes itself up. */
  "setup.heartbeat": {
    params: {
      readonly heartbeat: SetupHeartbeat;
    };
    result: {
      readonly heartbeat: SetupHeartbeat;
    };
  };
}
declare const STATES: readonly ["ready", "people", "model", "off", "left-out"];
/** A skill that an agent has, or could have. Names, descriptions and texts are those of its author. */
interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Where it is: `workspace`, `agent`, `personal`, `managed` (installed), `extra` (of a folder or a package) or `bundled`. */
  readonly source: string;
  /** Its SKILL.md. */
  readonly path: string;
  /** As an installed one was written. */
  readonly installedFrom?: string;
  /** `people`, `model`: only they may use it. `off`: by the configuration, or by itself. `left-out`: something is missing here. */
  readonly state: (typeof STATES)[number];
  /** Why it is off or left out. */
  readonly reason?: string;
  /** The configuration has not switched it off (`skills.entries`). */
  readonly isEnabled: boolean;
}
/** A skill with everything that is known of it. */
interface SkillDetails extends SkillSummary {
  readonly license?: string;
  readonly compatibility?: string;
  /** Tools that its author means it to use; grants nothing. */
  readonly tools: readonly string[];
  /** What it needs, as `kind: name`, such as `program: ffmpeg`. */
  readonly needs: readonly string[];
  /** Settings that it has: names of variables, or `apiKey`. */
  readonly settings: readonly string[];
  readonly warnings: readonly string[];
  readonly findings: readonly ScanFinding[];
  /** Its SKILL.md, the first 100,000 characters. */
  readonly text: string;
  readonly installedAt?: string;
  readonly commit?: string;
}
/** A skill that was fetched and looked at, before it is accepted. */
interface SkillPlan {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly warnings: readonly string[];
  /** Severe ones first. */
  readonly findings: readonly ScanFinding[];
  /** Names the content that was looked at, for `accept`. */
  readonly digest: string;
}
/** Parses a skill. */
declare const SkillSummarySchema: z.ZodType<SkillSummary>;
/** Parses a skill with its details. */
declare const SkillDetailsSchema: z.ZodType<SkillDetails>;
/** Parses a skill that was looked at. */
declare const SkillPlanSchema: z.ZodType<SkillPlan>;
/** What becomes of a skill that is to be installed. */
type SkillInstallation = {
  readonly type: "asks";
  readonly plan: SkillPlan;
  readonly isChanged: boolean;
} | {
  readonly type: "installed";
  readonly name: string;
};
/**
 * Methods of skills; those of the default agent without `agentId`. Those that change something reject with `conflict` for a skill that cannot be used and where
 * what is there is in the way; then nothing has changed.
 */
interface SkillMethods {
  /** The skills that were found for an agent, those that are left out included, and what is wrong with others. Runs nothing. */
  "skills.list": {
    params: {
      readonly agentId?: string;
    };
    result: {
      readonly agentId: string;
      readonly skills: readonly SkillSummary[];
      readonly problems: readonly {
        readonly path: string;
        readonly message: string;
      }[];
    };
  };
  /** One skill, scanned. Rejects with `not-found`. */
  "skills.show": {
    params: {
      readonly agentId?: string;
      readonly name: string;
    };
    result: {
      readonly agentId: string;
      readonly skill: SkillDetails;
    };
  };
  /** Has agents use a skill that was switched off. */
  "skills.enable": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
    };
  };
  /** Switches a skill off for all agents; its files stay. */
  "skills.disable": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
    };
  };
  /** Fetches and scans a skill, and installs it for all agents once what was found was accepted. Runs nothing of it. It may take minutes. */
  "skills.install": {
    params: {
      /** An absolute folder or archive of the gateway's machine, or a git repository with an optional `#branch`. */
      readonly source: string;
      /** The skill's folder in the source, if it has several. */
      readonly path?: string;
      /** Replaces an installed skill of the name. */
      readonly replace?: boolean;
      readonly accept?: string;
      readonly acceptSevere?: boolean;
    };
    result: SkillInstallation;
  };
  /** Removes an installed skill. */
  "skills.remove": {
    params: {
      readonly name: string;
    };
    result: {
      readonly name: string;
    };
  };
}
/**
 * Methods of sub-agents, each named by its session. `chat.subscribe` shows the sub-agents of a session. Both reject with `not-found` for a session that is no
 * sub-agent's, and with `conflict` for a sub-agent that has ended.
 */
interface SubagentMethods {
  /** Those that are open, and the newest 200 that have ended, of all sessions, oldest first. `sessions-change` tells of changes. */
  "subagents.list": {
    params: Record<string, never>;
    result: {
      readonly subagents: readonly ChatSubagent[];
    };
  };
  /** Sends it a message while it works, or before it begins. Resolves once the message is committed; deduplicated by `idempotencyKey`. */
  "subagents.steer": {
    params: {
      readonly sessionKey: string;
      readonly text: string;
      readonly idempotencyKey: string;
    };
    result: {
      readonly subagent: ChatSubagent;
    };
  };
  /** Ends it with all sub-agents below it. Resolves once that is committed; its parent gets what it has said until then. */
  "subagents.kill": {
    params: {
      readonly sessionKey: string;
    };
    result: {
      readonly subagent: ChatSubagent;
    };
  };
}
/** Methods that tell agents what has happened. */
interface SystemMethods {
  /**
   * Shows a text to the next turn of a session, once, whatever begins that turn. The session is that of the agent's heartbeat without `sessionKey`, the agent the
   * default one without `agentId`. `wake: "now"` makes the heartbeat due at once. `note` says why nothing was woken. Rejects with `not-found` for an unknown agent,
   * and with `conflict` if 50 events wait there.
   */
  "system.event": {
    params: {
      readonly text: string;
      readonly agentId?: string;
      readonly sessionKey?: string;
      readonly wake?: "now" | "next-heartbeat";
    };
    result: {
      readonly sessionKey: string;
      readonly note?: string;
    };
  };
}
/**
 * The run in question: a message in a session, or in the main session of an agent; in the default agent's without both. Of the owner, or of the sender with
 * this id on the session's channel.
 */
interface ToolQuery {
  readonly sessionKey?: string;
  readonly agentId?: string;
  readonly sender?: string;
}
/** Methods that explain the tool policy. They decide with the functions that decide for runs, and change nothing. */
interface ToolMethods {
  /** Every tool that was loaded, by name, and what becomes of it in such a run. */
  "tools.list": {
    params: ToolQuery;
    result: {
      readonly run: ToolOccasion;
      readonly tools: readonly ToolSummary[];
    };
  };
  /** One tool, and every layer of the policy. Rejects with `not-found` for a tool that the product does not know; the message names the nearest. */
  "tools.explain": {
    params: ToolQuery & {
      readonly tool: string;
    };
    result: {
      readonly run: ToolOccasion;
      readonly tool: ToolSummary;
      readonly rules: readonly ToolRule[];
    };
  };
}
/** Methods of usage and cost. */
interface UsageMethods {
  /**
   * Tokens, cost and requests of a period: from `fromMs`, 30 days before its end by default, until `toMs`, now by default and exclusive. `by` is `day` by default;
   * days are those of `timeZone`, that of the default agent's user by default. `limit` bounds the groups, 200 by default. Rejects with `invalid-request` for an
   * unknown time zone, and for a period that ends before it begins.
   */
  "usage.query": {
    params: {
      readonly fromMs?: number;
      readonly toMs?: number;
      readonly timeZone?: string;
      readonly by?: readonly UsageGroup[];
      readonly limit?: number;
    };
    result: UsageReport;
  };
}
/** A request of another system that was taken. Refused ones are not kept. */
interface WebhookDelivery {
  /** Where it was sent to: `wake`, `agent`, or the name of a mapping. */
  readonly webhook: string;
  readonly receivedAtMs: number;
  /** `waiting` and `running`: there is no outcome yet. `shown`: it was an event, and a turn has read it. `silent`: the assistant had nothing to say. `failed`: for `reason`. */
  readonly state: "waiting" | "running" | "answered" | "shown" | "silent" | "failed";
  readonly reason?: string;
  /** The beginning of what it sent: text of others, at most 300 UTF-16 units. */
  readonly sent?: string;
  /** The beginning of the answer, as long, if it is among the newest entries of its conversation. */
  readonly answer?: string;
  /** Its conversation, while there is one: that of a single request is kept for a day. */
  readonly sessionKey?: string;
  /** The turn that worked on it. */
  readonly turnId?: string;
}
/** Methods of the requests of other systems; their addresses are in the configuration. */
interface WebhookMethods {
  /** The newest deliveries among the newest 300 messages of all kinds, newest first. `limit` 20 by default. */
  "webhooks.deliveries": {
    params: {
      readonly limit?: number;
    };
    result: {
      readonly deliveries: readonly WebhookDelivery[];
    };
  };
}
/** Every method with its parameters and result. */
interface RpcMethods extends ChatMethods, AgentMethods, AttachmentMethods, SessionMethods, SubagentMethods, CheckpointMethods, CommandMethods, ConfigMethods, ContextMethods, DeadLetterMethods, CronMethods, FileMethods, HeartbeatMethods, LogMethods, MediaMethods, MemoryMethods, MessageMethods, ModelMethods, PairingMethods, PluginMethods, ServerMethods, SkillMethods, ApprovalMethods, ToolMethods, UsageMethods, WebhookMethods, GatewayMethods, SetupMethods, SystemMethods, AccessMethods, ChannelMethods, EditorMethods {}
/** Name of a method. */
type RpcMethod = keyof RpcMethods;
/** Every method: who may call it, whether it is rejected while the store is not writable, and parsers for its parameters and its result. */
type RpcMethodSchemas = MethodTable<RpcMethods>;
/**
 * The methods, one row each. The gateway authorises and validates with them, clients may validate results. Stopping a run also writes to the store, but is
 * always allowed.
 */
declare const RPC_METHODS: RpcMethodSchemas;
/** True for the name of a method of this build. */
declare function isRpcMethod(name: string): name is RpcMethod;
/** Every event with its payload. */
interface RpcEvents {
  /** An event of a session that this connection subscribed to. */
  chat: {
    readonly sessionKey: string;
    readonly event: ChatEvent;
  };
  /** Sessions were created, changed or removed; request them again. */
  "sessions-change": {
    readonly keys: readonly string[];
  };
  /** All current warnings of the gateway, after one was added, changed or removed. */
  "warnings-change": {
    readonly warnings: readonly GatewayWarning[];
  };
  /** The configuration file was applied or could not be, and why; `changed` keys differ from the configuration before. */
  "config-change": ConfigReloadResult;
  /** Tool calls wait for a decision, or do not wait any more; request them again. */
  "approvals-change": Record<string, never>;
  /** Dead letters were added, replayed or purged; request them again. */
  "deadletters-change": Record<string, never>;
  /** The health of accounts of channels, or who asks to be admitted there, has changed; request it again. At most once a second. */
  "channels-change": Record<string, never>;
  /** A scheduled job or a heartbeat was made, changed, removed, or has run; request them again. */
  "jobs-change": Record<string, never>;
  /**
   * A note of an agent's memory was changed by the assistant or by a client, or by hand, which is announced from the first request for notes on; request it
   * again. At most four times a second, for each agent.
   */
  "memory-change": {
    readonly agentId: string;
  };
  /** The same for the files of an agent that say who it is, its knowledge files, or its skills and slash commands. */
  "files-change": {
    readonly agentId: string;
    readonly kind: "persona" | "knowledge" | "skills";
  };
  /** A chunk of the answer to a replayed request, sent to the requesting connection. */
  replay: ReplayDelta;
  /** A run asks this connection's editor for something; `editor.answer` with the id answers. */
  "editor-request": {
    readonly sessionKey: string;
    readonly id: string;
    readonly request: EditorRequest;
  };
  /** A remark about what this connection's editor offers, for the person. */
  "editor-note": {
    readonly sessionKey: string;
    readonly text: string;
  };
  /** The gateway is about to close the connection. */
  shutdown: {
    readonly reason: string;
  };
}
/** Name of an event. */
type RpcEvent = keyof RpcEvents;
/** A parser for the payload of every event. */
declare const RPC_EVENTS: { readonly [Event in RpcEvent]: z.ZodType<RpcEvents[Event]>; };
export { APPROVAL_DECISIONS, type AccessRole, type AccountAccess, AccountAccessSchema, type AgentBinding, type AgentRunResult, type AgentStatus, type Approval, type ApprovalDecision, ApprovalSchema, type BlockedConversation, CLOSE_CODES, CONNECT_TIMEOUT_MS, CONTEXT_PART_TYPES, type ChannelForm, ChannelFormSchema, type ChannelLoginStep, ChannelLoginStepSchema, type ChannelProbe, ChannelProbeSchema, type ChannelRemoval, ChannelRemovalSchema, type ChannelSaving, ChannelSavingSchema, type ChannelSettingNote, type ChannelStatus, type ChannelTest, ChannelTestSchema, type ChatAttachment, type ChatEntry, ChatEntrySchema, type ChatEvent, ChatEventSchema, type ChatFile, type ChatOutcome, type ChatSnapshot, ChatSnapshotSchema, type ChatSubagent, type ChatSubagentActivity, ChatSubagentSchema, type ChatSubagentState, type ChatToolCall, type ChatWait, type ClientFrame, ClientFrameSchema, type CommandSummary, CommandSummarySchema, type ConfigDifference, type ConfigFinding, type ConfigPatchResult, ConfigPatchResultSchema, type ConfigReloadResult, ConfigReloadResultSchema, type ConfigView, ConfigViewSchema, type ConnectFrame, type ContextChange, type ContextDiff, type ContextImage, type ContextOutcome, type ContextPart, type ContextPartType, type ContextReport, ContextReportSchema, type ContextRequest, ContextRequestSchema, type ContextSection, type ContextSize, type ContextTruncation, type DamageEvent, DamageEventsSchema, type DeadLetter, DeadLetterSchema, type DmPolicy, type EditorAnswer, EditorAnswerSchema, type EditorOffer, type EditorRequest, EditorRequestSchema, type EditorServer, EditorServerSchema, type EventFrame, type GatewayStatus, GatewayStatusSchema, type GatewayWarning, GatewayWarningsSchema, type GroupPolicy, HEARTBEAT_OFFER, type HeartbeatSummary, HeartbeatSummarySchema, type HelloFrame, type JobGrants, JobGrantsSchema, type JobShape, JobShapeSchema, type JobSummary, JobSummarySchema, type KnowledgeFile, KnowledgeFileSchema, type KnownChannel, KnownChannelSchema, LOG_LEVEL_IDS, type LastRun, type LiveRun, type LogEntry, type LogField, type LogLevelId, type LogPart, LogPartSchema, MAX_CHAT_ATTACHMENTS, MAX_EDITOR_SERVERS, MAX_EDITOR_TEXT_CHARS, MAX_FRAME_BYTES, MAX_KNOWLEDGE_FILE_BYTES, MAX_NOTE_TEXT_CHARS, MAX_RECORDING_BYTES, MAX_UNAUTHENTICATED_FRAME_BYTES, MAX_UPLOAD_BYTES, MAX_UPLOAD_PART_BYTES, MAX_WORKSPACE_FILE_CHARS, type MemoryAuditEntry, type MemoryAuditNote, MemoryAuditNoteSchema, type MemoryEntrySource, type MemoryFile, type MemoryFileChange, MemoryFileChangeSchema, MemoryFileSchema, type MemoryFinding, type MemoryForgetReport, MemoryForgetReportSchema, type MemoryForgetScope, MemoryForgetScopeSchema, type MemoryNote, MemoryNoteSchema, type MemoryNoteVersion, MemoryNoteVersionSchema, type MemorySearchHit, MemorySearchHitSchema, type MemoryState, MemoryStateSchema, type MemoryText, MemoryTextSchema, type MessageTrace, MessageTraceSchema, type MessageVersions, type ModelList, ModelListSchema, type ModelPrice, type ModelSummary, type ModelTest, ModelTestSchema, type NoticeBlock, OPTIONAL_JOB_PARTS, type OccurrenceShape, OccurrenceShapeSchema, type OptionalJobPart, PROTOCOL_VERSION, type PairedSender, PairedSenderSchema, type PairingRequest, PairingRequestSchema, type PluginInstallation, type PluginPackage, PluginPackageSchema, type PluginPart, type PluginPlan, PluginPlanSchema, type PluginWork, PluginWorkSchema, RPC_EVENTS, RPC_METHODS, type RefusedFrame, type RefusedSender, type ReplayDelta, ReplayDeltaSchema, type ReplayResult, ReplayResultSchema, type RequestFrame, type RereadTokens, type ResponseFrame, type RestingModel, type RpcAccess, type RpcErrorBody, type RpcErrorCode, RpcErrorCodeSchema, type RpcEvent, type RpcEvents, type RpcMethod, type RpcMethodSchemas, type RpcMethods, type RunUsage, RunUsageSchema, type ScanFinding, ScanFindingSchema, type ScheduleShape, type ScheduleStatus, type SentVersion, type ServerFrame, ServerFrameSchema, type SessionImportReport, SessionImportReportSchema, type SessionKind, type SessionModeId, type SessionSearchResult, SessionSearchResultSchema, type SessionSettings, type SessionSummary, SessionSummarySchema, type SessionTextHit, type SessionTitleHit, type SetupCheck, SetupCheckSchema, type SetupHeartbeat, type SetupProvider, type SetupState, SetupStateSchema, type SkillDetails, SkillDetailsSchema, type SkillInstallation, type SkillPlan, SkillPlanSchema, type SkillSummary, SkillSummarySchema, THINKING_LEVEL_IDS, TOOL_STATES, type ThinkingLevelId, type ToolOccasion, ToolOccasionSchema, type ToolRule, ToolRuleSchema, type ToolServer, ToolServerSchema, type ToolState, type ToolSummary, ToolSummarySchema, type TracedCall, type TracedInput, type TracedSend, USAGE_GROUPS, type UsageAmount, type UsageGroup, type UsageReport, UsageReportSchema, WORKSPACE_FILES, type WarningCode, type WebchatDelivery, type WebchatInput, type WebchatSocket, type WebhookDelivery, type WorkspaceFile, type WorkspaceFileName, WorkspaceFileSchema, type WorkspaceFileVersion, WorkspaceFileVersionSchema, hasUsableKey, isModelRefused, isRpcMethod, mayKeyBeRight, offeredHeartbeats, offeredModels, retriedKey, retryKey };