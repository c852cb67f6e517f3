import type {
  AgentMessage,
  AgentTool,
  AgentToolResult,
  ModelClient,
  ModelRequest,
  RunFacts,
  RunLimits,
  SteeringQueue,
  SystemPrompt,
  ToolCall,
  UserMessage,
} from "@factotum/agent-contract";

/** What a run asks of every model request beside the prompt, the messages and the tools. */
export type ModelSettings = Omit<ModelRequest, "system" | "messages" | "tools">;

/** The host's decision about a call before it runs. `message` is for the model: it names the rule and what to do. */
export type ToolDecision = { readonly type: "allow" } | { readonly type: "refuse"; readonly message: string };

/**
 * Asked once for each call of a known tool, before its `tool-start`. May wait for a person; an abort of the run ends the waiting.
 * A rejection refuses the call (default deny) and is reported as `hook-error`.
 */
type BeforeTool = (
  call: ToolCall,
  tool: AgentTool,
  options: {
    readonly signal: AbortSignal;
    /** The model had been given text of somebody but the owner, or an untrusted result, when it made this call (R23). */
    readonly tainted: boolean;
  },
) => Promise<ToolDecision>;

/** What a call came to before this run. */
export interface KnownResult extends AgentToolResult {
  /** It contains text from others (R23). */
  readonly tainted: boolean;
}

/** What one run of the agent works on. The host has read the files, the configuration and the clock already. */
export interface RunAgentInput {
  /** Who runs and for whom; `facts.kind` is the kind of the run. Handed to every tool. */
  readonly facts: RunFacts;
  readonly model: ModelClient;
  readonly system: SystemPrompt;
  /** The history, oldest first, as stored; the loop projects it before each request (`projectMessages`). */
  readonly messages: readonly AgentMessage[];
  /** The new turn, already committed by the host. `undefined` goes on from the history: after a restart, or after results from outside. */
  readonly prompt: UserMessage | undefined;
  /** In the order in which the model shall see them (`orderTools`). */
  readonly tools: readonly AgentTool[];
  /** Awaited without a limit: what it has taken would be lost otherwise. So it answers at once. */
  readonly steering: SteeringQueue;
  readonly beforeTool: BeforeTool;
  /**
   * Results that stand already, by the ids of their calls: after a restart, of calls that ran or may have run before it. Such a call is neither asked about
   * nor run, and has no `tool-start`. None when left out.
   */
  readonly knownResults?: ReadonlyMap<string, KnownResult>;
  readonly settings: ModelSettings;
  /**
   * True when the turn is tainted beside what `prompt` says: a turn that goes on after a restart, or marked history in a session that is
   * not private (R23).
   */
  readonly tainted: boolean;
  /** Wall clock, milliseconds since the epoch: the time stamps of messages that the loop makes. */
  readonly now: () => number;
}

/** How far a run may go. */
export interface RunAgentOptions {
  /** Ends the run as `aborted`; carries the deadline too. Its reason's text becomes the outcome's. */
  readonly signal: AbortSignal;
  readonly limits: RunLimits;
  /** Characters of text that one tool result may have (`contextBudget`). */
  readonly maxToolResultChars: number;
}
