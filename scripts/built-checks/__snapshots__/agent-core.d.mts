import { AgentEvent, AgentMessage, AgentTool, ModelClient, ModelRequest, RunFacts, RunKind, RunLimits, SkillEntry, SteeringQueue, SystemPrompt, ToolCall, UserMessage, UserMessageParts } from "@factotum/agent-contract";
/** What is known for certain of the message: the trusted block. Fields that do not apply are left out. */
interface TrustedFacts {
  readonly channel?: string;
  readonly provider?: string;
  readonly surface?: string;
  readonly account?: string;
  readonly chatType?: "direct" | "group" | "channel";
  readonly wasMentioned?: boolean;
  /** Twelve hexadecimal digits, made like those of Authorized Senders. */
  readonly sender?: string;
  readonly owner?: boolean;
  readonly messageId?: string;
  readonly replyToId?: string;
}
/** Where the message was said. Raw ids only when the `message` tool is there to use them; the rest only when it changed. */
interface ConversationFacts {
  readonly chatId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly groupSubject?: string;
  readonly topic?: string;
  readonly participants?: readonly string[];
}
/** Who said it. */
interface SenderFacts {
  readonly label?: string;
  readonly id?: string;
  readonly name?: string;
  readonly username?: string;
}
/** One earlier message. */
interface HistoryFacts {
  readonly sender: string;
  readonly timestampMs: number;
  readonly body: string;
}
/** What happened beside the conversation. */
interface SystemEvent {
  readonly timestampMs: number;
  /** One line; line breaks and control characters become spaces. */
  readonly text: string;
}
/** What the turn is about. */
type PromptBody = {
  readonly type: "message";
  readonly text: string;
} | {
  readonly type: "media-only";
} | {
  readonly type: "task";
  readonly text: string;
};
/** Everything that one turn's text is made of, in the order in which it stands there. */
interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn is made, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
  readonly threadHistory?: readonly HistoryFacts[];
  readonly systemEvents: readonly SystemEvent[];
  /** How the last run ended, if not by its own will. */
  readonly sessionHint?: "aborted" | "interrupted";
  readonly conversation?: ConversationFacts;
  readonly sender?: SenderFacts;
  readonly replied?: {
    readonly senderLabel?: string;
    readonly isQuote: boolean;
    readonly body: string;
  };
  readonly threadStarter?: {
    readonly body: string;
  };
  /** Said in the conversation since the agent's last reply. */
  readonly chatHistory?: readonly HistoryFacts[];
  readonly forwarded?: {
    readonly from?: string;
    readonly title?: string;
    readonly body: string;
  };
  readonly body: PromptBody;
  readonly untrustedNotes: readonly {
    readonly source: string;
    readonly text: string;
  }[];
  /** Who sent the message, as it is kept beside the text for a later rendering; absent for runs that no person started. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}
/** One turn's text as the model gets it, and the parts of it that a later rendering keeps. */
interface EffectivePrompt {
  readonly text: string;
  readonly parts: UserMessageParts;
}
/**
 * Part 3 of a request (design 03 §3): one turn's text, rendered once; history replays it as it is.
 *
 * Pure. Text of platforms cannot make a line that reads as one of ours: in blocks it is JSON on one line, in the body such lines get a
 * backslash. Throws a `TypeError` for a delimiter that is not twelve hexadecimal digits, a `RangeError` for an unknown time zone: with
 * either the text would not be what the model is told it is.
 */
declare function renderEffectivePrompt(facts: EffectivePromptFacts): EffectivePrompt;
/** What a run asks of every model request beside the prompt, the messages and the tools. */
type ModelSettings = Omit<ModelRequest, "system" | "messages" | "tools">;
/** What the host says to a call before it runs. `message` is what the model is told: it names the rule and what to do. */
type ToolDecision = {
  readonly type: "allow";
} | {
  readonly type: "refuse";
  readonly message: string;
};
/**
 * Asked once for each call of a known tool, before its `tool-start`. May wait for a person; an abort of the run ends the waiting.
 * A rejection refuses the call (default deny) and is reported as `hook-error`.
 */
type BeforeTool = (call: ToolCall, tool: AgentTool, options: {
  readonly signal: AbortSignal;
  /** The model had been given text of somebody but the owner, or an untrusted result, when it made this call (R23). */
  readonly tainted: boolean;
}) => Promise<ToolDecision>;
/** What one run of the agent works on. The host has read the files, the configuration and the clock already. */
interface RunAgentInput {
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
interface RunAgentOptions {
  /** Ends the run as `aborted`; carries the deadline too. Its reason's text becomes the outcome's. */
  readonly signal: AbortSignal;
  readonly limits: RunLimits;
  /** Characters of text that one tool result may have (`toolResultMaxChars`). */
  readonly maxToolResultChars: number;
}
/**
 * Runs the agent: model request, tool calls, results, next request, until the model has the last word.
 *
 * Begins with `run-start` and ends with one `run-end`: done, aborted or failed; it never rejects. It is pulled: nothing goes on until the
 * consumer asks for the next event, so what the consumer commits on an event is on disk before the loop goes on (`AgentEvent`).
 * Every tool call of a `message-end` gets exactly one `tool-end`; a call that was never run (unknown, refused, skipped) has no
 * `tool-start`. A turn in which the model gave nothing has no `message-end` and no `turn-end`.
 * A consumer that leaves early aborts the request and the tools at work.
 *
 * Without a prompt it goes on from the history. A history that already ends with an answer is a run that is over: its outcome comes at
 * once, without a request.
 */
declare function runAgent(input: RunAgentInput, options: RunAgentOptions): AsyncIterable<AgentEvent>;
/**
 * Characters that one tool result may have for a model with this window (tokens): 16,000, from 100k tokens 32,000, from 200k 64,000, and
 * never more than 30 % of the window.
 */
declare function toolResultMaxChars(contextWindow: number): number;
/**
 * Cuts a tool's text to `limit` characters, the closing line included, which says how many were cut and how to ask for less.
 * Where the end matters (errors, closing JSON, summaries) 70 % head and 30 % tail stay, else the head. Never splits a surrogate pair.
 * A text within the limit comes back as it is. A limit too small for the closing line leaves that line alone.
 */
declare function truncateToolResult(text: string, limit: number): string;
/** `full` for people's sessions, `minimal` for sub-agents, `none` for the identity alone. */
type PromptMode = "full" | "minimal" | "none";
/** Where a tool comes from; core tools stand before all others. */
type ToolOrigin = "core" | "plugin";
/** A tool as the Tooling section shows it. Client tools are left out by the host. */
interface PromptTool {
  readonly name: string;
  readonly summary: string;
  readonly origin: ToolOrigin;
}
/** A skill as the index shows it; the body is read by the model when it needs it. */
type PromptSkill = Pick<SkillEntry, "name" | "description" | "location" | "version">;
/** The group or channel of the session. Holds configuration only: no name, subject or topic of the platform. */
interface PromptGroup {
  /** Display name of the platform, such as `Feishu`. */
  readonly platform: string;
  /** `mention`: the agent is woken only when it is addressed; `always`: by every message. */
  readonly activation: "mention" | "always";
  /** The group's configured `systemPrompt`. */
  readonly instructions?: string;
}
/** The fields of the Runtime line, in its order. What is unknown is left out. */
interface PromptRuntime {
  /** The session's id, not its key: a key holds ids of the platform. */
  readonly session: string;
  readonly host?: string;
  readonly repo?: string;
  readonly os?: string;
  readonly node?: string;
  /** Reference of the session's model, also during a failover. */
  readonly model: string;
  readonly defaultModel?: string;
  readonly shell?: string;
  readonly channel?: string;
  /** Empty: `none`. */
  readonly capabilities: readonly string[];
  readonly thinking: string;
}
/**
 * Everything that the system prompt is made of. Nothing here belongs to one message, and nothing comes from a platform: the prompt is
 * rendered once per session and kept (R14).
 */
interface PromptFacts {
  readonly agent: {
    readonly id: string;
    /** From IDENTITY.md or the configuration; the product's name when left out. */
    readonly name?: string;
  };
  /** The configured `systemPrompt`, verbatim. */
  readonly instructions?: string;
  /** Every tool of the session but client tools, in any order. */
  readonly tools: readonly PromptTool[];
  readonly skills: readonly PromptSkill[];
  /** Commands of the product's own command line that exist in this build, as typed, each with its purpose in a few words. */
  readonly commands: readonly {
    readonly usage: string;
    readonly purpose: string;
  }[];
  /** Absolute path of the one working directory. */
  readonly workspace: string;
  /** Where the product's documentation is; the section is left out when nothing is known. */
  readonly documentation: {
    readonly folder?: string;
    readonly url?: string;
  };
  /** Twelve hexadecimal digits for each owner; empty when none is configured. */
  readonly authorizedSenders: readonly string[];
  /** True when a reply of this session can be delivered to a channel. */
  readonly deliversToChannel: boolean;
  /** Set for sessions of groups and channels. */
  readonly group?: PromptGroup;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  /** Subagent Context, or the `system` messages of an HTTP request. */
  readonly extra?: string;
  readonly runtime: PromptRuntime;
}
/** One section of the system prompt. Its place is its place in the array of `sections/index.ts`. */
interface PromptSection {
  readonly id: string;
  /** `stable`: the same for all sessions of an agent; `session`: fixed for one session. */
  readonly half: "stable" | "session";
  readonly modes: readonly PromptMode[];
  /** The section's text with its heading, without blank lines around it; `undefined` when it does not apply. Pure. */
  render(facts: PromptFacts): string | undefined;
}
/** A section that was rendered, for the prompt and for the report of what the model sees. */
interface RenderedSection {
  readonly id: string;
  readonly half: "stable" | "session";
  readonly text: string;
}
/**
 * The order of tools, in the Tooling section and in the request alike: core tools first, then the rest, each by name (by code unit, so
 * that no locale changes a request).
 */
declare function orderTools<T extends {
  readonly name: string;
  readonly origin: ToolOrigin;
}>(tools: readonly T[]): readonly T[];
/** Part 1 of a request (design 03 §1). Pure: equal facts give equal bytes. The cache boundary between the halves is no text. */
declare function renderSystemPrompt(facts: PromptFacts, mode: PromptMode): SystemPrompt;
/** The sections that apply, in order, each by itself: what `renderSystemPrompt` joins, for reports of what the model sees. */
declare function renderSections(facts: PromptFacts, mode: PromptMode): readonly RenderedSection[];
/** Every section. This array is the order, and there is no other; the stable half stands before the session half. */
declare const PROMPT_SECTIONS: readonly PromptSection[];
/**
 * The calls of the last answer that have no result yet: what a run that was cut off left open. The host decides their results before it
 * goes on (`runAgent` without a prompt). Empty when the last answer is complete or was given up.
 */
declare function openCalls(messages: readonly AgentMessage[]): readonly ToolCall[];
/**
 * The neutral repair of a history: whatever is stored, what comes out has a shape that can be sent (design 03 §2, R8).
 *
 * - It begins with a user message.
 * - Each tool call is directly followed by its one result: late ones are moved up, a missing one is made up as an error that says why,
 *   further ones and those without a call are dropped. Ids that were used before get a suffix.
 * - Blank text and messages without anything to say are dropped. An answer that was broken off (`error`, `aborted`) keeps its text, not
 *   its thoughts and calls.
 *
 * Pure and total. Messages that need no repair come back as the same objects. What is appended to a sound history changes nothing before
 * it, so a projected request begins with the one before it.
 */
declare function projectMessages(messages: readonly AgentMessage[]): readonly AgentMessage[];
export { type BeforeTool, type ConversationFacts, type EffectivePrompt, type EffectivePromptFacts, type HistoryFacts, type ModelSettings, PROMPT_SECTIONS, type PromptBody, type PromptFacts, type PromptGroup, type PromptMode, type PromptRuntime, type PromptSection, type PromptSkill, type PromptTool, type RenderedSection, type RunAgentInput, type RunAgentOptions, type SenderFacts, type SystemEvent, type ToolDecision, type ToolOrigin, type TrustedFacts, openCalls, orderTools, projectMessages, renderEffectivePrompt, renderSections, renderSystemPrompt, runAgent, toolResultMaxChars, truncateToolResult };