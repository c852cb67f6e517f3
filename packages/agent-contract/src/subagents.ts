import type { JsonSchema } from "./json.ts";
import type { ThinkingLevel, ToolCaller } from "./run.ts";

/** A file for a sub-agent. */
export interface SpawnAttachment {
  /** A file name: letters, digits, `.`, `_` and `-`. Names of one task differ, also without regard to case. */
  readonly name: string;
  readonly data: Uint8Array;
}

/** A task for a sub-agent, as a model hands it out. */
export interface SpawnRequest {
  readonly task: string;
  /** A short name. */
  readonly label?: string;
  /** `acp`: `agentId` names an external agent of the configuration. Default: `subagent`. */
  readonly runtime?: "subagent" | "acp";
  /** Default: the agent of the run. */
  readonly agentId?: string;
  /** Default: the model of the conversation. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Time limit, counted from now; of a session, that of each run. Default: an hour. */
  readonly runTimeoutSeconds?: number;
  /** `session`: it stays open after its first result, for messages, each of which it answers. Default: `run`. */
  readonly mode?: "run" | "session";
  /** `delete`: its conversation is removed once its end is reported. Default: `keep`. */
  readonly cleanup?: "keep" | "delete";
  /** The only tools that it may call. */
  readonly toolsAllow?: readonly string[];
  /** It calls no tools at all. */
  readonly disableTools?: boolean;
  /** Its result has to be one JSON value of this form. */
  readonly outputSchema?: JsonSchema;
  /** `fork`: it starts with the conversation of the run and its prompt, so that the provider's cache of them is used. Default: `isolated`. */
  readonly context?: "isolated" | "fork";
  /** Written into a folder of its own in the sub-agent's workspace, and named in its prompt. */
  readonly attachments?: readonly SpawnAttachment[];
}

/** What became of a task. `refused` says what to do. */
export type SpawnOutcome =
  | { readonly type: "accepted"; readonly runId: string; readonly sessionKey: string }
  | { readonly type: "refused"; readonly message: string };

/** `idle`: it has reported its result, and stays open for messages. */
export type SubagentState = "queued" | "running" | "idle" | "done" | "failed" | "timeout" | "killed" | "lost";

/** A sub-agent as its parent sees it. */
export interface SubagentView {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly label?: string;
  readonly task: string;
  readonly state: SubagentState;
  /** Why it, or its last run, did not end as `done`. */
  readonly reason?: string;
  /** Until now, or until its end. */
  readonly durationMs: number;
  readonly tokens: number;
  readonly costUsd?: number;
}

/** What became of a change. `refused` says what to do. */
export type SubagentChange =
  | { readonly type: "done"; readonly views: readonly SubagentView[] }
  | { readonly type: "refused"; readonly message: string };

/** The newest messages of a sub-agent. */
export type SubagentLog =
  | { readonly type: "log"; readonly view: SubagentView; readonly text: string; readonly untrusted: boolean }
  | { readonly type: "refused"; readonly message: string };

/** Sub-agents, for the tools of their parents. A run sees those that its session has started, and no others. */
export interface Subagents {
  /** Starts one once the result of the call is stored, and with it. Its own result comes as a message. */
  spawn(request: SpawnRequest, caller: ToolCaller & { readonly callId: string }): Promise<SpawnOutcome>;
  /** Holds the results of the running sub-agents until all of them have ended, to hand them over together. Resolves with their number. */
  wait(caller: ToolCaller): Promise<number>;
  /** Newest first. */
  list(caller: ToolCaller): Promise<readonly SubagentView[]>;
  /** Ends one and those that it has started; `all`: every one. `named`: a run id, the beginning of one, or a label. */
  kill(named: string, caller: ToolCaller): Promise<SubagentChange>;
  /** Tells one something. */
  steer(named: string, text: string, caller: ToolCaller): Promise<SubagentChange>;
  log(named: string, caller: ToolCaller): Promise<SubagentLog>;
}
