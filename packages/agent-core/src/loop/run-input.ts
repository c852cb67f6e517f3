import type {
  AgentMessage,
  AgentTool,
  AgentToolResult,
  JsonObject,
  ModelClient,
  ModelRequest,
  RunFacts,
  RunLimits,
  SteeringQueue,
  SystemPrompt,
  ToolCall,
  ToolSchema,
  UserMessage,
} from "@factotum/agent-contract";

/** Settings of every model request, apart from the prompt, the messages and the tools. */
export type ModelSettings = Omit<ModelRequest, "system" | "messages" | "tools">;

/** The host's decision about a call before it runs. `message` is for the model: it names the rule and what to do. */
export type ToolDecision =
  /**
   * `isConfirmed`: the owner knows that text of others may have caused the call, and confirmed what it does (R23): it runs as an untainted one. `arguments`: it
   * runs with these instead of its own; `isForeign`: they count as text of others.
   */
  | { readonly type: "allow"; readonly isConfirmed?: true; readonly arguments?: JsonObject; readonly isForeign?: true }
  /** `isForeign`: the message counts as text of others. */
  | { readonly type: "refuse"; readonly message: string; readonly isForeign?: true };

/**
 * Called once for each call of a known tool, before its `tool-start`. May wait for a person; an abort of the run ends the wait. A rejection refuses the call
 * (default deny) and is reported as `hook-error`.
 */
type BeforeTool = (
  call: ToolCall,
  tool: AgentTool,
  options: {
    readonly signal: AbortSignal;
    /** The model had been given text of others than the owner, or an untrusted result, when it made this call (R23). */
    readonly tainted: boolean;
    /** The conversation so far: what the model was given and what it wrote, oldest first. */
    readonly messages: readonly AgentMessage[];
  },
) => Promise<ToolDecision>;

/** The result of a call from before this run. */
export interface KnownResult extends AgentToolResult {
  /** It contains text of others (R23). */
  readonly tainted: boolean;
}

/** Input of one agent run. The host has already read files, configuration and clock. */
export interface RunAgentInput {
  /** Who runs and for whom; `facts.kind` is the kind of the run. Passed to every tool. */
  readonly facts: RunFacts;
  readonly model: ModelClient;
  readonly system: SystemPrompt;
  /** The history, oldest first, as stored; the loop projects it before each request (`projectMessages`). */
  readonly messages: readonly AgentMessage[];
  /** The new turn, already committed by the host. `undefined` continues from the history: after a restart, or after results from outside. */
  readonly prompt: UserMessage | undefined;
  /** In the order in which the model sees them (`orderTools`). */
  readonly tools: readonly AgentTool[];
  /** Tools that are not in the request; the model calls them through `tool_call` (`unwrapDeferredCalls`). None if omitted. */
  readonly deferred?: readonly AgentTool[];
  /**
   * Tools of a client, after the others in the request; none has the name of another tool. They are not run here: the run ends with the answer that calls one.
   * None if omitted.
   */
  readonly clientTools?: readonly ToolSchema[];
  /** Awaited without a limit, because messages that it has taken would be lost otherwise; it must resolve at once. */
  readonly steering: SteeringQueue;
  readonly beforeTool: BeforeTool;
  /**
   * Known results by call id, of calls that ran or may have run before a restart. Such a call is neither checked nor run, and has no `tool-start`. None if
   * omitted.
   */
  readonly knownResults?: ReadonlyMap<string, KnownResult>;
  readonly settings: ModelSettings;
  /** True if the turn is tainted for other reasons than `prompt`: resumed after a restart, or with marked history in a session that is not private (R23). */
  readonly tainted: boolean;
  /** Wall clock, milliseconds since the epoch: timestamps of messages from the loop. */
  readonly now: () => number;
}

/** Bounds of a run. */
export interface RunAgentOptions {
  /** Ends the run as `aborted`; also carries the deadline. The reason's text becomes the outcome's. */
  readonly signal: AbortSignal;
  readonly limits: RunLimits;
  /** Maximum characters of text in one tool result (`contextBudget`). */
  readonly maxToolResultChars: number;
}
