import type { PluginObject } from "./plugin-json.ts";

/** The conversation that a hook is called for. */
export interface HookPlace {
  readonly agentId: string;
  readonly sessionKey: string;
  /** The message's sender is the owner. */
  readonly owner: boolean;
}

/** A conversation, where no message is the occasion. */
export interface HookConversation {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
}

/** A message as hooks see it. */
export interface HookMessage {
  readonly channel: string;
  readonly accountId: string;
  readonly conversation: string;
  readonly senderId: string;
  readonly text: string;
}

/** A request to a model: of a run, of a compaction, of a tool that looks at images. A retry and a fallback are requests of their own. */
export interface HookModelCall extends HookPlace {
  /** What it is for: `user`, `heartbeat`, `compaction`, … */
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
}

/** What each hook is called with. */
export interface HookPayloads {
  /** A message was admitted, before it is a part of its session. */
  readonly message_received: HookPlace & { readonly message: HookMessage };
  /** Work on a turn is about to begin, before its prompt is built. `texts`: its messages. */
  readonly before_dispatch: HookPlace & { readonly texts: readonly string[] };
  /** The messages of a turn are put together. */
  readonly before_prompt_build: HookPlace & { readonly texts: readonly string[] };
  /** A request is about to go to a model, before it is charged. `sessionKey` is empty for a request of an API client without a conversation. */
  readonly before_model_call: HookModelCall & {
    readonly messages: number;
    /** Estimate from the length of the texts. */
    readonly inputTokens: number;
  };
  /** A request that was sent is over. */
  readonly after_model_call: HookModelCall & {
    /** `failed`: `error` says why. `stopped`: the answer was not read to its end. */
    readonly outcome: "answered" | "failed" | "stopped";
    /** Why an answer ended: `stop`, `tool-calls`, … */
    readonly stopReason?: string;
    /** The code of a failure, such as `rate-limited`. */
    readonly error?: string;
    /** Tokens, as far as they are known. */
    readonly usage?: {
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
      readonly total: number;
    };
    /** Absent without a known price. */
    readonly costUsd?: number;
    readonly durationMs: number;
  };
  /** A model has asked for a tool. The gateway's own rules follow, and hold for the changed arguments. */
  readonly before_tool_call: HookPlace & {
    readonly callId: string;
    readonly tool: string;
    readonly arguments: PluginObject;
    /** The model has read text of others than the owner. */
    readonly tainted: boolean;
  };
  readonly after_tool_call: HookPlace & {
    readonly callId: string;
    readonly tool: string;
    readonly arguments: PluginObject;
    readonly isError: boolean;
    /** The beginning of the result's text, at most 16,000 characters. */
    readonly text: string;
  };
  /** A text is about to go to a chat: an answer, a part of one, a notice. A retry asks again. */
  readonly message_sending: { readonly sessionKey: string; readonly channel: string; readonly conversation: string; readonly text: string };
  readonly message_sent: {
    readonly sessionKey: string;
    readonly channel: string;
    readonly conversation: string;
    /** `accepted`, or why it was not. */
    readonly outcome: "accepted" | "rejected" | "ambiguous";
  };
  /** The first turn of a conversation begins. */
  readonly session_start: HookPlace & { readonly sessionId: string };
  /** The older part of a conversation is about to be replaced by a summary. */
  readonly before_compaction: HookConversation & {
    /** Size of the whole context, estimated. */
    readonly contextTokens: number;
    /** A person or a provider asked for it. */
    readonly forced: boolean;
  };
  readonly after_compaction: HookConversation & {
    /** `summary`: a model wrote it. `rule`: none could, and older messages were left out. `none`: nothing has changed. */
    readonly outcome: "summary" | "rule" | "none";
    /** Messages that the summary stands for, and those that were left out. */
    readonly summarised: number;
    readonly leftOut: number;
  };
  /** A conversation is over. `reset`: a person asked for a fresh one; `stale`: it was reset for its age. */
  readonly session_end: HookConversation & { readonly reason: "reset" | "stale" | "deleted" };
  /** A turn is over. `text`: its answer, at most 16,000 characters. */
  readonly agent_end: HookPlace & { readonly runId: string; readonly outcome: "done" | "aborted" | "failed"; readonly text: string };
  /** A time at which a scheduled job or a heartbeat was due has its outcome. */
  readonly cron_run: {
    readonly agentId: string;
    /** A heartbeat's is `heartbeat:<agent>`. */
    readonly jobId: string;
    readonly name: string;
    /** The planned instant, milliseconds since the epoch. */
    readonly slotMs: number;
    readonly state: "done" | "failed" | "skipped" | "missed";
    /** Why it failed, was skipped or missed. */
    readonly reason?: string;
    readonly attempt: number;
    /** Absent for one that did not run. */
    readonly durationMs?: number;
  };
  /** A session has handed out a task. `sessionKey`: that of the sub-agent. */
  readonly subagent_spawned: HookPlace & {
    readonly parentSessionKey: string;
    readonly runId: string;
    readonly depth: number;
    readonly label?: string;
    readonly task: string;
  };
  readonly subagent_ended: HookPlace & {
    readonly parentSessionKey: string;
    readonly runId: string;
    readonly depth: number;
    readonly label?: string;
    readonly state: "done" | "failed" | "timeout" | "killed" | "lost";
    /** Why it did not end as `done`. */
    readonly reason?: string;
    readonly durationMs: number;
  };
  readonly gateway_start: { readonly version: string };
  readonly gateway_stop: { readonly reason: string };
}

/** The names of the hooks. */
export type HookName = keyof HookPayloads;

/** What a handler of a hook may answer; `undefined` or no answer: go on. */
export interface HookAnswers {
  readonly message_received: undefined;
  /** `deny`: the turn ends before a model is asked, and its sender gets the reason. */
  readonly before_dispatch: { readonly deny: string } | undefined;
  /** Text that the model reads before the messages. It counts as text of others unless the plugin is trusted. */
  readonly before_prompt_build: { readonly prependContext: string } | undefined;
  /** `deny`: the request is not sent, and no other model is asked in its place. The owner sees the reason. */
  readonly before_model_call: { readonly deny: string } | undefined;
  readonly after_model_call: undefined;
  /** `deny`: the model gets the reason. `ask`: the owner decides, and reads the reason. `arguments`: the call is made with these. */
  readonly before_tool_call: { readonly deny: string } | { readonly ask: string } | { readonly arguments: PluginObject } | undefined;
  readonly after_tool_call: undefined;
  /** `text`: it is sent in place of the original. `cancel`: nothing is sent; the reason is for the owner. */
  readonly message_sending: { readonly text: string } | { readonly cancel: string } | undefined;
  readonly message_sent: undefined;
  readonly session_start: undefined;
  readonly before_compaction: undefined;
  readonly after_compaction: undefined;
  readonly session_end: undefined;
  readonly agent_end: undefined;
  readonly cron_run: undefined;
  readonly subagent_spawned: undefined;
  readonly subagent_ended: undefined;
  readonly gateway_start: undefined;
  readonly gateway_stop: undefined;
}

/**
 * What a failure of a handler means. `observe`: nothing waits for it, and it changes nothing. `transform`: it is left out. `decide`: the action is refused (fail
 * closed).
 */
export type HookKind = "observe" | "transform" | "decide";

/** A row of the table of hooks. */
export interface HookRow {
  readonly kind: HookKind;
  /** Of handlers that state none. Higher ones run first; equal ones in the order of the plugins' ids. */
  readonly priority: number;
  /** Milliseconds that one handler may take. */
  readonly timeoutMs: number;
}

/** All hooks: the set is closed. A handler of a `decide` or `transform` hook gets what the handlers before it have changed. */
export const HOOKS: { readonly [Name in HookName]: HookRow } = {
  message_received: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  before_dispatch: { kind: "decide", priority: 0, timeoutMs: 5_000 },
  before_prompt_build: { kind: "transform", priority: 0, timeoutMs: 5_000 },
  before_model_call: { kind: "decide", priority: 0, timeoutMs: 5_000 },
  after_model_call: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  before_tool_call: { kind: "decide", priority: 0, timeoutMs: 5_000 },
  after_tool_call: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  message_sending: { kind: "decide", priority: 0, timeoutMs: 5_000 },
  message_sent: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  session_start: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  before_compaction: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  after_compaction: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  session_end: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  agent_end: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  cron_run: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  subagent_spawned: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  subagent_ended: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  gateway_start: { kind: "observe", priority: 0, timeoutMs: 5_000 },
  gateway_stop: { kind: "observe", priority: 0, timeoutMs: 2_000 },
};

/** True for the name of a hook. */
export function isHookName(name: string): name is HookName {
  return Object.hasOwn(HOOKS, name);
}

/** Handles a hook; may answer at once. A rejection is a failure of the plugin. */
export type HookHandler<Name extends HookName> = (
  payload: HookPayloads[Name],
) => HookAnswers[Name] | Promise<HookAnswers[Name] | undefined> | undefined;
