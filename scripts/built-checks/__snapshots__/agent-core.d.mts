import { AgentEvent, AgentMessage, AgentTool, AgentToolResult, CompactionMessage, JsonObject, JsonValue, ModelClient, ModelInfo, ModelRequest, RunFacts, RunKind, RunLimits, SkillEntry, SteeringQueue, SystemPrompt, ToolCall, ToolSchema, UserMessage, UserMessageParts } from "@factotum/agent-contract";
/** Names of workspace files in the prompt, in order of appearance and priority. */
type BootstrapName = "AGENTS.md" | "SOUL.md" | "TOOLS.md" | "IDENTITY.md" | "USER.md" | "HEARTBEAT.md" | "BOOTSTRAP.md" | "MEMORY.md" | "memory.md";
/** All bootstrap files, most important first. The last two are private memory; the second is used only if the first is missing. */
declare const BOOTSTRAP_NAMES: readonly BootstrapName[];
/** A bootstrap file as it was read. */
interface BootstrapFile {
  readonly name: BootstrapName;
  /** The path shown in the prompt. */
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly content: string | undefined;
}
/** The content of one file in the prompt. */
type PlannedFile = {
  readonly type: "present";
  readonly path: string;
  readonly text: string;
} | {
  readonly type: "missing";
  readonly path: string;
};
/** A file that was truncated: by which limit, and how much of it is left. */
interface BootstrapTruncation {
  readonly name: BootstrapName;
  /** `file`: the per-file limit; `total`: the limit for all files together. */
  readonly limit: "file" | "total";
  /** Characters of the file in the prompt. */
  readonly keptChars: number;
  /** Characters of the whole file. */
  readonly totalChars: number;
}
/** The bootstrap files in the prompt. */
interface BootstrapPlan {
  readonly projectContext: readonly PlannedFile[];
  readonly privateMemory?: PlannedFile;
  readonly truncations: readonly BootstrapTruncation[];
}
/** Limits for the bootstrap files in a prompt. */
interface BootstrapLimits {
  /** Characters per file; 20,000 by default. */
  readonly maxFileChars?: number;
  /** Characters of all files together, private memory included; 60,000 by default. */
  readonly maxTotalChars?: number;
  /** The model's window in tokens: all files together take at most a quarter of it. */
  readonly contextWindow: number;
  /** The kind of run that creates the session; selects the files. */
  readonly run: RunKind;
  /** A heartbeat gets HEARTBEAT.md alone, a cron job nothing; false by default. */
  readonly lightContext?: boolean;
}
/**
 * Selects the bootstrap files of a prompt and truncates them. Blank files are skipped; missing ones are marked, except HEARTBEAT, BOOTSTRAP and private memory.
 * Over the total limit the least important file is truncated first. Files that are not passed are not mentioned: leave private memory out if the session is not
 * private. Pure.
 */
declare function planBootstrap(files: readonly BootstrapFile[], limits: BootstrapLimits): BootstrapPlan;
/** The sizes that decide whether a summary is worthwhile. */
interface ContextTokens {
  readonly contextTokens: number;
  /** System prompt and tools, included in the context. */
  readonly overheadTokens: number;
}
/** The sizes of a context from which a conversation is compacted before a turn, and in the background after one. */
interface CompactionLimits {
  /** True if a context leaves too little space for an answer, or if its history was not read completely: compact before the next request. */
  readonly shouldCompact: (size: {
    readonly contextTokens: number;
    readonly omitted: number;
  }) => boolean;
  /**
   * True if the older messages should be summarised in the background: shortly before `shouldCompact`, and only if that frees at least an eighth of the window.
   * A small window consists mostly of prompt and recent messages, and would otherwise be summarised after each turn.
   */
  readonly shouldCompactAhead: (size: ContextTokens) => boolean;
  /** True shortly before `shouldCompact`: time for the memory flush, the silent turn in which the agent writes its notes. */
  readonly shouldFlushMemory: (contextTokens: number) => boolean;
}
/** How compaction divides a model's window, all in tokens; absent values are those of `COMPACTION_DEFAULTS`. */
interface ContextBudgetOptions {
  /** The smallest known limit of the model. */
  readonly window: number;
  /** Reserved for the answer, never more than a quarter of the window. */
  readonly reserveTokens?: number;
  /** Recent messages that are kept verbatim, never more than a quarter of the window. */
  readonly keepRecentTokens?: number;
}
/** How a window is divided, in tokens unless stated otherwise. */
interface ContextBudget extends CompactionLimits {
  /** The whole window. */
  readonly window: number;
  /** Maximum tokens of a request. */
  readonly maxContext: number;
  /** Tokens of recent messages that are kept verbatim. */
  readonly keepRecent: number;
  /** Maximum tokens of a summary. */
  readonly maxSummary: number;
  /** Maximum tokens of transcript in one request to a summariser with this window. */
  readonly maxChunk: number;
  /** Maximum characters of text in one tool result: 16,000; 32,000 from 100k tokens, 64,000 from 200k; at most 30 % of the window. */
  readonly maxToolResultChars: number;
}
/** Divides a window so that the same settings work for small and large models. */
declare function contextBudget({ window, reserveTokens, keepRecentTokens }: ContextBudgetOptions): ContextBudget;
/** Formats times in the user's zone. */
interface TimeFormat {
  /** `Mon 2026-06-15 14:31 UTC`: weekday, date, minute, and the zone's short name. */
  timestamp(timeMs: number): string;
  /** `2026-06-15 14:30:58`. */
  second(timeMs: number): string;
  /** `2026-06-15`. */
  day(timeMs: number): string;
}
/** Creates a formatter. Throws a `RangeError` for an unknown zone. Reuse it: creating one costs far more than formatting, in native memory too. */
declare function createTimeFormat(timeZone: string): TimeFormat;
/** Options of a truncation without a model. */
interface FallbackOptions extends ContextBudgetOptions {
  /** Tokens of system prompt and tools. */
  readonly overheadTokens: number;
  /** Formats times in the user's zone. */
  readonly time: TimeFormat;
  /** The earlier summary before these messages. */
  readonly previousSummary?: string;
  /** Number of earlier messages that were not read; they count as removed. */
  readonly omitted?: number;
}
/** The rest of a history that no model could summarise. */
interface FallbackCompaction {
  readonly summary: string;
  /** Index of the first message that is at least partly kept; the number of messages if none is. */
  readonly firstKept: number;
  /** The messages after the summary from now on. */
  readonly messages: readonly AgentMessage[];
  /** True if `messages` differ from the originals from `firstKept` on: store them as they are here. */
  readonly shrunk: boolean;
  /** The rest of the last turn as text, for callers that keep none of its messages; no larger than they are. Empty unless `shrunk`. */
  readonly words: string;
  readonly tainted: boolean;
}
/**
 * Truncates a history without a model, so that the next turn can always run (R9). Drops whole turns, oldest first. If the last turn alone is too large, shrinks
 * its images, thinking and long results, then drops its oldest steps, then truncates its text. After the projection, summary and messages fit into the window
 * minus reserve and overhead (at least 1,000 tokens). Deterministic and total.
 */
declare function fallbackCompaction(messages: readonly AgentMessage[], options: FallbackOptions): FallbackCompaction;
/** Options of a compaction plan. */
interface CompactionOptions extends ContextBudgetOptions {
  /** Size of the whole context, including system prompt and tools. */
  readonly contextTokens: number;
  /** Formats times in the user's zone. */
  readonly time: TimeFormat;
  /** The window of the model that writes the summary; the session's model's by default. */
  readonly summariserWindow?: number;
  /** The earlier summary before these messages. */
  readonly previousSummary?: string;
  /**
   * Maximum number of chunks, the newest ones, each up to half of the summariser's window: for a history larger than the model's window. Older messages are
   * left out. Unlimited by default.
   */
  readonly maxChunks?: number;
}
/** One chunk of the messages to summarise, as the summariser gets it. */
interface CompactionChunk {
  readonly text: string;
  readonly tokens: number;
}
/** The messages to summarise, and the cut. */
interface CompactionPlan {
  /** Index of the first message to keep, always the start of a turn; the number of messages if none is kept. */
  readonly firstKept: number;
  /** Oldest first. New messages change only the last chunk, so a summary of a chunk with the same text can be reused by another attempt (R9). */
  readonly chunks: readonly CompactionChunk[];
  /** Number of the oldest messages that `maxChunks` excludes from every chunk. */
  readonly leftOut: number;
  /** The number of chunks is bounded, and so is that of requests: their summaries must be merged in one request. */
  readonly isLimited: boolean;
  /** The previous summary, if messages between it and the first chunk are left out; otherwise it is part of the first chunk. */
  readonly earlierSummary?: string;
  readonly tokensBefore: number;
  /** True if text of others is summarised: the summary is tainted too (R23). */
  readonly tainted: boolean;
}
/**
 * Plans a compaction (R9). The cut is between two turns, so no call loses its result, and about `keepRecentTokens` are kept; more if the turns are large and
 * there is space in the window. `undefined` if nothing before the last turn can be summarised; then only `fallbackCompaction` helps. Pure.
 */
declare function planCompaction(messages: readonly AgentMessage[], options: CompactionOptions): CompactionPlan | undefined;
/** Renders a compaction for the model: one message before the first kept one. Pure. */
declare function renderSummaryMessage({ summary, tainted, timestamp }: Pick<CompactionMessage, "summary" | "tainted" | "timestamp">): UserMessage;
/** The request for a summary. */
type SummaryRequest = Pick<ModelRequest, "system" | "messages" | "tools">;
/** Options for summarising a plan. */
interface SummariseOptions {
  /** Resolves with the summariser's answer. Equal parts give equal requests except for the message's time. */
  readonly ask: (request: SummaryRequest) => Promise<string>;
  /** The summariser's window, tokens. */
  readonly summariserWindow: number;
  /** The window of the session's model, tokens: the summary has to fit there. */
  readonly window: number;
  /** The user's instructions with `/compact`. */
  readonly instructions: string | undefined;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}
/**
 * Summarises a plan's chunks one after the other, and merges the summaries until one is left (R9). A limited plan takes one request per chunk and one to merge.
 * Rejects when `ask` does.
 */
declare function summarisePlan(plan: CompactionPlan, options: SummariseOptions): Promise<string>;
/** Verified facts about the message: the trusted block. Fields that do not apply are omitted. */
interface TrustedFacts {
  readonly channel?: string;
  readonly provider?: string;
  readonly surface?: string;
  readonly account?: string;
  readonly chatType?: "direct" | "group" | "channel";
  readonly wasMentioned?: boolean;
  /** Twelve hexadecimal digits, derived like those of Authorized Senders. */
  readonly sender?: string;
  readonly owner?: boolean;
  readonly messageId?: string;
  readonly replyToId?: string;
  /** How `channel` shows text. Present only if the system prompt was rendered for another channel. */
  readonly responseFormat?: ResponseFormat;
  /** The channel that the session's system prompt was rendered for, if any. */
  readonly promptChannel?: string;
  /** Set if another agent's session sent the message. */
  readonly agentToAgent?: AgentToAgentFacts;
  /** Set if the message tells how a sub-agent has ended. */
  readonly completion?: {
    readonly source: string;
    readonly run: string;
    readonly session: string;
    readonly state: string;
  };
}
/** A channel's Markdown support and message limit. */
interface ResponseFormat {
  /** The channel's name for its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  readonly maxMessageChars: number;
}
/** A message between two sessions (`sessions_send`). */
interface AgentToAgentFacts {
  /** `message`: the first message, or an answer to one; `announce`: the last step, in which the target may notify its own chat. */
  readonly step: "message" | "announce";
  readonly requesterSession: string;
  readonly requesterChannel?: string;
  readonly targetSession: string;
  /** The side whose turn it is: that of the session that is given this message. */
  readonly role: "requester" | "target";
  /** From 1 to `maxTurns`. */
  readonly turn: number;
  readonly maxTurns: number;
}
/** One attachment of the message. */
interface MediaFacts {
  /** The host's name for a location that tools can read: `media://inbound/<id>`. */
  readonly location?: string;
  /** The platform's name. */
  readonly fileName?: string;
  /** Detected from the bytes. */
  readonly mimeType?: string;
  /** The file that tools read: absolute, and shown exactly, or omitted if it could be misread as more than a path. */
  readonly path?: string;
  /** Why it is not among the request's images, or not available at all; absent for an image in the request, and for any other file that was received. */
  readonly omitted?: "text-only" | "too-large" | "too-many" | "unreadable" | "not-allowed" | "no-tool" | "unavailable";
  /** Set if the host transcribes recordings: `done` if the words are in the body, otherwise why they are not. */
  readonly transcription?: "done" | "no-speech" | "too-large" | "too-long" | "too-many" | "not-audio" | "timeout" | "failed";
}
/** Where the message was sent. Raw ids only if the `message` tool can use them; other fields only if they changed. */
interface ConversationFacts {
  readonly chatId?: string;
  readonly senderId?: string;
  readonly sender?: string;
  readonly groupSubject?: string;
  readonly topic?: string;
  readonly participants?: readonly string[];
}
/** The sender of the message. */
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
/** An event that is no message of the conversation. */
interface SystemEvent {
  readonly timestampMs: number;
  /** One line; line breaks and control characters become spaces. */
  readonly text: string;
}
/** The body of the turn's text. */
type PromptBody = {
  readonly type: "message";
  readonly text: string;
} | {
  readonly type: "media-only";
} | {
  readonly type: "task";
  readonly text: string;
} | {
  readonly type: "memory-flush";
  readonly notesPath: string;
} | {
  readonly type: "reset";
  readonly text: string;
} | {
  readonly type: "subagent";
  readonly task: string;
  readonly depth: number;
  readonly maxDepth: number;
  /** The session stays open for further messages. */
  readonly persistent: boolean;
  /** It starts with the conversation of the agent that asked. `context`: it also has the prompt of that agent, and the Subagent Context is here. */
  readonly fork?: {
    readonly context?: string;
  };
};
/** The parts of one turn's text, in order. */
interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn starts, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
  /** Text that plugins add before the turn, by plugin name. */
  readonly hookContext?: readonly {
    readonly plugin: string;
    readonly text: string;
  }[];
  readonly media?: readonly MediaFacts[];
  /** Explain how to send a file back; applies only if media is attached. */
  readonly mediaReplyHint?: boolean;
  readonly threadHistory?: readonly HistoryFacts[];
  readonly systemEvents: readonly SystemEvent[];
  /** How the last run ended, if it did not complete. */
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
  /** Messages in the conversation since the agent's last reply. */
  readonly chatHistory?: readonly HistoryFacts[];
  readonly forwarded?: {
    readonly from?: string;
    readonly title?: string;
    readonly body: string;
  };
  /**
   * Notes of today and yesterday, for the first turn of a private session; 1,200 characters of each text are shown. `untrustedText`: written by tainted turns.
   */
  readonly dailyNotes?: readonly {
    readonly path: string;
    readonly text: string;
    readonly untrustedText?: string;
  }[];
  /** The payload of a webhook. */
  readonly payload?: {
    readonly source: string;
    readonly body: string;
  };
  readonly body: PromptBody;
  readonly untrustedNotes: readonly {
    readonly source: string;
    readonly text: string;
  }[];
  /** Bootstrap files that were truncated; heartbeats and sub-agents do not get this list. */
  readonly truncations?: readonly BootstrapTruncation[];
  /** The sender, stored with the text for re-rendering; absent for unattended runs. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}
/** One turn's text for the model, and the parts that a re-rendering keeps. */
interface EffectivePrompt {
  readonly text: string;
  /** The pieces of the text in order, for reports; joined by line breaks they are the text. */
  readonly sections: readonly {
    readonly id: string;
    readonly text: string;
  }[];
  readonly parts: UserMessageParts;
}
/**
 * Renders part 3 of a request: one turn's text, rendered once and replayed from history.
 *
 * Pure. Platform text cannot forge a line of the gateway's: in blocks it is JSON on one line, in the body such lines get a backslash. Throws a `TypeError` for
 * a delimiter other than twelve hexadecimal digits, and a `RangeError` for an unknown time zone, because the text would not match its description in the system
 * prompt. When rendering many, create `time` for the facts' zone once and pass it.
 */
declare function renderEffectivePrompt(facts: EffectivePromptFacts, time?: TimeFormat): EffectivePrompt;
/** True for the message that begins a turn: a user message that was not steered into an active one. Pure. */
declare function beginsTurn(message: AgentMessage | undefined): boolean;
/** Replaces a removed image. */
declare const IMAGE_REMOVED = "[image data removed - already processed by model]";
/** The result of a quarantine. */
interface Quarantine {
  /** The whole history, with the same length as before. */
  readonly messages: readonly AgentMessage[];
  /** The replacements by index; store these instead of the originals. Never empty. */
  readonly replaced: readonly {
    readonly index: number;
    readonly message: AgentMessage;
  }[];
  readonly item: "image" | "thinking" | "tool-call" | "text";
  /** The provider's error named neither an item nor a position; the most likely item was chosen. */
  readonly isGuess: boolean;
}
/**
 * Removes the one history item that a provider most likely rejected (a 400 on replay, R8), so that the session can continue. Looks for a call's id in the
 * provider's error, then for the kind of item that it names, near the position that it names, newest first; without any of these for the newest image, then
 * call, then text. The user's last message is never removed, and every removal changes the request.
 *
 * A removed call leaves its result behind, which the projection drops. So the call at the end of a history is kept, and its result removed instead, because a
 * request must not end with an answer. `undefined`: nothing is left to remove, the request cannot be repaired. Pure.
 */
declare function quarantine(messages: readonly AgentMessage[], hint: {
  readonly message: string;
}): Quarantine | undefined;
/** True for an answer that is nothing but one of the words that `agent_to_agent` names. Pure. */
declare function isExchangeEnd(text: string): boolean;
/**
 * True if a heartbeat's answer reports nothing: the token is at its beginning or end, with at most `maxFurtherChars` (300) further characters. Elsewhere in a
 * text it has no meaning. Pure.
 */
declare function isHeartbeatOk(text: string, maxFurtherChars?: number): boolean;
/**
 * A history without quiet runs: heartbeats whose answer is the token, or that got none, and memory flushes. The prompt is removed with its calls and its
 * answer; later messages stay. `isOpen`: the last run is still active, so it stays too. Each heartbeat is measured by the limit in its own message, whatever
 * is configured since.
 *
 * Kept messages are the same objects in the same order, so that the request after such a run begins with the one before it (R14); without quiet runs the same
 * array is returned. Pure.
 */
declare function withoutQuietRuns(messages: readonly AgentMessage[], options: {
  readonly isOpen: boolean;
}): readonly AgentMessage[];
/** The heartbeat prompt, unless configured (`heartbeat.prompt`). */
declare const DEFAULT_HEARTBEAT_PROMPT = "Heartbeat. If there is a HEARTBEAT.md, go through it and do what is due now. Do not resume earlier work. If there is nothing to report, answer only HEARTBEAT_OK.";
/** What the session's prompt already says about every turn. */
interface OlderTurnOptions {
  /** The channel that the system prompt was rendered for: turns of other channels keep their channel's name. */
  readonly promptChannel?: string;
  /** Looks up an earlier message by its platform id, for a reply whose platform gave only the id. */
  readonly repliedTo?: (messageId: string) => EarlierMessage | undefined;
}
/** A message that a later one may reply to. */
interface EarlierMessage {
  readonly timestamp: JsonValue | undefined;
  readonly body: string;
}
/** Options for re-rendering older turns. */
interface RerenderOptions extends Pick<OlderTurnOptions, "promptChannel"> {
  /** Maximum characters of one tool result. */
  readonly toolResultMaxChars: number;
}
/**
 * Re-renders older turns, at a named cause: the text of a user message keeps time, sender and context (`renderOlderTurn`); images become a line of text; tool
 * results are truncated to `toolResultMaxChars` if the model's window has become smaller.
 *
 * Pure and idempotent: an unchanged message is returned as the same object. Messages that this product did not render keep their text. Pass the history without
 * the current turn, and store the result: from then on it is replayed unchanged.
 */
declare function rerenderMessages(messages: readonly AgentMessage[], options: RerenderOptions): readonly AgentMessage[];
/** Options of the history view. The same options and messages always give the same bytes. */
interface HistoryViewOptions {
  /** Time of the last named cause: tool results of older turns were pruned then. */
  readonly settledBeforeMs: number;
  /** The model's window in tokens. */
  readonly contextWindow: number;
  /** Prune old tool results at a cause (`contextPruning.mode`). */
  readonly prunes: boolean;
  /** Maximum user turns shown; `undefined` or 0 for all. */
  readonly historyLimit: number | undefined;
}
/** A named break: the next request does not begin with the one before it. */
type HistoryBreak = "edited" | "images-dropped" | "history-limit" | "quarantine" | "retry";
/** The shown messages, and the named breaks that have just changed them. */
interface HistoryView {
  readonly messages: readonly AgentMessage[];
  readonly breaks: readonly HistoryBreak[];
}
/**
 * Selects the messages of a conversation for a request. Depends only on the stored messages and the time of the last named cause, so a restart shows the same.
 * Between causes the view only grows at its end, except at the named breaks.
 */
declare function viewHistory(stored: readonly AgentMessage[], prompt: UserMessage | undefined, options: HistoryViewOptions): HistoryView;
/** The result of one call, before its text is truncated. */
interface ToolOutcome {
  readonly content: AgentToolResult["content"];
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True if it may contain text of others (R23). */
  readonly untrusted: boolean;
  /** The turn ends with it. */
  readonly endsTurn?: true;
}
/** Runs one call. Never rejects: a throwing tool, an invalid result and an abort are outcomes too. */
declare function executeTool(tool: AgentTool, call: ToolCall, options: {
  readonly signal: AbortSignal;
  readonly run: RunFacts;
  readonly tainted: boolean;
  readonly onDelta: (text: string) => void;
}): Promise<ToolOutcome>;
/** Settings of every model request, apart from the prompt, the messages and the tools. */
type ModelSettings = Omit<ModelRequest, "system" | "messages" | "tools">;
/** The host's decision about a call before it runs. `message` is for the model: it names the rule and what to do. */
type ToolDecision = {
  readonly type: "allow";
  readonly isConfirmed?: true;
  readonly arguments?: JsonObject;
  readonly isForeign?: true;
} | {
  readonly type: "refuse";
  readonly message: string;
  readonly isForeign?: true;
};
/**
 * Called once for each call of a known tool, before its `tool-start`. May wait for a person; an abort of the run ends the wait. A rejection refuses the call
 * (default deny) and is reported as `hook-error`.
 */
type BeforeTool = (call: ToolCall, tool: AgentTool, options: {
  readonly signal: AbortSignal;
  /** The model had been given text of others than the owner, or an untrusted result, when it made this call (R23). */
  readonly tainted: boolean;
  /** The conversation so far: what the model was given and what it wrote, oldest first. */
  readonly messages: readonly AgentMessage[];
}) => Promise<ToolDecision>;
/** The result of a call from before this run. */
interface KnownResult extends AgentToolResult {
  /** It contains text of others (R23). */
  readonly tainted: boolean;
}
/** Input of one agent run. The host has already read files, configuration and clock. */
interface RunAgentInput {
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
interface RunAgentOptions {
  /** Ends the run as `aborted`; also carries the deadline. The reason's text becomes the outcome's. */
  readonly signal: AbortSignal;
  readonly limits: RunLimits;
  /** Maximum characters of text in one tool result (`contextBudget`). */
  readonly maxToolResultChars: number;
}
/**
 * Runs the agent: model request, tool calls, results, next request, until the model answers without calls.
 *
 * Emits `run-start` first and `run-end` last: done, aborted or failed; it never rejects. It is pull-based: nothing happens until the consumer asks for the next
 * event, so what the consumer commits on an event is durable before the loop continues (`AgentEvent`). Every tool call of a `message-end` gets exactly one
 * `tool-end`; a call that never ran (unknown, refused, skipped) has no `tool-start`. A turn in which the model produced nothing has no `message-end` and no
 * `turn-end`. An empty answer is requested once more in the same turn; the next `message-start` withdraws its thinking. A consumer that leaves early aborts the
 * request and running tools.
 *
 * Calls of a client's tools are not run: the other calls of their answer are, and then the run ends as `done` with `clientCalls`. If it cannot end there (it was
 * stopped, it reached a limit, or a message was steered into it), they are skipped like other calls.
 *
 * Calls that an external agent has made itself (`external`) are neither checked nor run nor counted: what it says of them is their result.
 *
 * A call whose result ends the turn (`endsTurn`) ends the run as `done` with `yielded`; calls after it are skipped.
 *
 * Without a prompt it continues from the history. A history that ends with an answer is a finished run: its outcome is emitted at once, without a request.
 */
declare function runAgent(input: RunAgentInput, options: RunAgentOptions): AsyncIterable<AgentEvent>;
/** The tool through which a model calls tools that are not in its request: `{ name, arguments }`. */
declare const TOOL_CALL = "tool_call";
/**
 * A client whose answers call deferred tools by their own name: `tool_call` with the name of one of them becomes a call of that tool, marked `deferred`. So
 * policy, approvals, results and the transcript are those of the real tool. Calls with an unknown name or other parameters stay as they are, for `tool_call`
 * itself to answer.
 */
declare function unwrapDeferredCalls(client: ModelClient, isTool: (name: string) => boolean): ModelClient;
/** The arguments of the real tool; `undefined` if they are no object. Small models write the object as a string, or leave an empty one out. */
declare function parseDeferredArguments(given: JsonValue | undefined): JsonObject | undefined;
/**
 * Repairs a history independently of the provider, so that any stored history becomes a valid request (R8).
 *
 * - It begins with a user message.
 * - Each tool call is directly followed by its one result: late ones are moved up, a missing one is substituted by an error that says why, duplicates and those
 * without a call are dropped. Reused ids get a suffix.
 * - A call of a deferred tool is a `tool_call` again, as the model wrote it.
 * - Calls that an external agent has made itself are dropped with their results: a model of a provider would take them for its own. External agents get them.
 * - Blank text and empty messages are dropped. An answer that broke off (`error`, `aborted`) keeps its text, not its thinking and calls. For an external agent
 * its thinking stays, too: what comes before it was given to the agent.
 *
 * Pure and total. Unchanged messages are returned as the same objects. Appending to a valid history changes nothing before, so a projected request begins with
 * the previous one.
 */
declare function projectMessages(messages: readonly AgentMessage[], { provider }?: Partial<Pick<ModelInfo, "provider">>): readonly AgentMessage[];
/** True if one of the tools can open a file that is named to the model. Commands run for the owner only. */
declare function opensFiles(tools: readonly {
  readonly name: string;
}[], { owner }: {
  readonly owner: boolean;
}): boolean;
/** The origin of a tool; core tools come first. */
type ToolOrigin = "core" | "plugin";
/** A tool in the Tooling section. The host leaves client tools out. */
interface PromptTool {
  readonly name: string;
  readonly summary: string;
  readonly origin: ToolOrigin;
}
/** A skill in the index; the model reads the body when it needs it. */
type PromptSkill = Pick<SkillEntry, "name" | "description" | "location" | "version">;
/** The group or channel of the session, from configuration only: no name, subject or topic of the platform. */
interface PromptGroup {
  /** Display name of the platform, such as `Feishu`. */
  readonly platform: string;
  /** `mention`: only messages that address the agent start a run; `always`: every message does. */
  readonly activation: "mention" | "always";
  /** The group's configured `systemPrompt`. */
  readonly instructions?: string;
}
/** The fields of the Runtime line, in order. Unknown ones are omitted. */
interface PromptRuntime {
  /** The session's id, not its key, because keys contain platform ids. */
  readonly session: string;
  readonly host?: string;
  readonly repo?: string;
  readonly os?: string;
  readonly node?: string;
  /** Reference of the session's model, also during failover. */
  readonly model: string;
  readonly defaultModel?: string;
  readonly shell?: string;
  readonly channel?: string;
  /** Shown as `none` if empty. */
  readonly capabilities: readonly string[];
  readonly thinking: string;
}
/** The sandbox of sandboxed turns. */
interface PromptSandbox {
  /** Whose turns are sandboxed: everybody's, or all but the owner's. */
  readonly turns: "all" | "non-owner";
  readonly backend: string;
  /** The working directory as tools see it. */
  readonly folder: string;
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** `none`, or the name of the reachable network. */
  readonly network: string;
  /** Commands on the host: never, with approval, or freely. */
  readonly elevated: "off" | "ask" | "full";
}
/** Display capabilities of the session's channel. */
interface PromptChannel {
  /** The channel's name for its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  /** Maximum characters of one message. */
  readonly maxMessageChars: number;
  /** True if the channel has reactions and the `message` tool can set them. */
  readonly reactions: boolean;
  /** True if the channel plays voice messages. */
  readonly voice: boolean;
}
/** Where the model's thoughts are shown. */
interface PromptReasoning {
  readonly visibility: "off" | "on" | "stream";
  /** True if the model separates its thoughts natively. */
  readonly native: boolean;
}
/** All facts in the system prompt. None of them belongs to one message or comes from a platform: the prompt is rendered once per session and kept (R14). */
interface PromptFacts {
  readonly agent: {
    readonly id: string;
    /** From IDENTITY.md or the configuration; the product's name if omitted. */
    readonly name?: string;
  };
  /** The configured `systemPrompt`, verbatim. */
  readonly instructions?: string;
  /** All tools of the session except client tools, in any order. */
  readonly tools: readonly PromptTool[];
  /** Tools that are reached through `tool_search` and `tool_call`, with their sources. Only names of core tools are shown: those of others are not our text. */
  readonly deferredTools?: readonly {
    readonly name: string;
    readonly source: string;
  }[];
  /** Sources that cannot be used, so that their tools may be missing; absent without any. */
  readonly brokenSources?: readonly string[];
  readonly skills: readonly PromptSkill[];
  /** Commands of the product's CLI in this build, as typed, each with a short description. */
  readonly commands: readonly {
    readonly usage: string;
    readonly purpose: string;
    /** The `gateway` tool does the same: sessions that have it are not told of the command. */
    readonly isInGatewayTool?: boolean;
  }[];
  /** True if this build can update itself. */
  readonly selfUpdate?: boolean;
  readonly modelAliases?: readonly {
    readonly alias: string;
    readonly model: string;
  }[];
  /** Absolute path of the working directory. Omitted for a session that others than the owner can read: its prompt names no path of the owner's. */
  readonly workspace?: string;
  /** Where the product's documentation is; without it the section is omitted. */
  readonly documentation: {
    readonly folder?: string;
    readonly url?: string;
  };
  /** Twelve hexadecimal digits per owner; empty if none is configured. */
  readonly authorizedSenders: readonly string[];
  /** The workspace's bootstrap files, selected and truncated by `planBootstrap`. */
  readonly projectContext?: readonly PlannedFile[];
  /** Set if some turns of the session are sandboxed. */
  readonly sandbox?: PromptSandbox;
  /** Set for private sessions whose workspace has the file. */
  readonly privateMemory?: PlannedFile;
  /** True if a reply of this session can be delivered to a channel. */
  readonly deliversToChannel: boolean;
  /** Messages can be sent to other conversations; true by default. */
  readonly writesElsewhere?: boolean;
  /** The channel of replies. */
  readonly channel?: PromptChannel;
  /** Set for sessions of groups and channels. */
  readonly group?: PromptGroup;
  /** Set for the main and the heartbeat session of an agent with a heartbeat. `prompt`: the owner's text that replaces the default. */
  readonly heartbeat?: {
    readonly prompt: string | undefined;
  };
  /** The kind of run that created the session; `user` by default. */
  readonly run?: RunKind;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  /** The Subagent Context, or the `system` messages of an HTTP request. */
  readonly extra?: string;
  readonly reasoning?: PromptReasoning;
  readonly runtime: PromptRuntime;
}
/** A rendered section, for the prompt and for context reports. */
interface RenderedSection {
  readonly id: string;
  readonly half: "stable" | "session";
  readonly text: string;
}
/**
 * Orders tools for the Tooling section and the request: core tools first, then the others, each by name (by code unit, so that no locale changes a request).
 */
declare function orderTools<T extends {
  readonly name: string;
  readonly origin: ToolOrigin;
}>(tools: readonly T[]): readonly T[];
/** The facts about a sub-agent in its own prompt. */
interface SubagentFacts {
  /** Id of the agent that gave the task. Its session is not named, because keys contain platform ids. */
  readonly requester: string;
  /** Its role, in a few words. */
  readonly role?: string;
  readonly task: string;
  /** 1 for a sub-agent of a person's session. */
  readonly depth: number;
  readonly maxDepth: number;
  /** Ids of the external agents that it may start. None if omitted. */
  readonly externalAgents?: readonly string[];
  /** It stays open for messages after its first result. */
  readonly isPersistent?: true;
  /** The JSON Schema of its result. */
  readonly outputSchema?: string;
  /** Files attached to the task, as stored in its workspace. */
  readonly attachments: readonly {
    readonly name: string;
    readonly path: string;
  }[];
}
/** Subagent Context: the Extra section of a sub-agent's prompt. Pure. */
declare function renderSubagentContext({ requester, role, task, depth, maxDepth, externalAgents, isPersistent, outputSchema, attachments }: SubagentFacts): string;
/** Part 1 of a request, and its sections in order, for context reports. */
interface RenderedPrompt {
  readonly system: SystemPrompt;
  readonly sections: readonly RenderedSection[];
}
/** Renders part 1 of a request for a kind of run. Pure: equal facts give equal bytes. The cache boundary between the halves is not text. */
declare function renderSystemPrompt(facts: PromptFacts): RenderedPrompt;
/** The parts of a request: system prompt, earlier messages, this turn's text, its images, the tools. */
type ContextPartType = "system" | "messages" | "prompt" | "images" | "tools";
/** The size of a part. `bytes`: of the text in UTF-8, for images of the file; `tokens`: an estimate. */
interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}
/** One piece of a part. */
interface DescribedSection extends ContextSize {
  /** Unique within its part, and stable across requests for the same content. */
  readonly id: string;
  /** For display. */
  readonly title: string;
  readonly half?: "stable" | "session";
  readonly images?: readonly {
    readonly mimeType: string;
    readonly bytes: number;
  }[];
  /** How much of a tool's result the model was given. */
  readonly truncation?: {
    readonly keptChars: number;
    readonly totalChars: number;
  };
  /** It belongs to a message with words or files of others, which taint a turn (R23). */
  readonly ofOthers?: true;
  /** For display: the text as sent; images by kind and size, calls with their arguments. */
  readonly text: string;
  /** Equal for two sections exactly if the model is given the same. */
  readonly sent: string;
}
/** One part with its sections, in the order sent. */
interface DescribedPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly DescribedSection[];
}
/** A request, split into parts and sections. */
interface ContextDescription {
  /** All five in order, including empty ones. */
  readonly parts: readonly DescribedPart[];
  readonly total: ContextSize;
  /** All messages in the order sent; `parts` shows the turn's own message separately. */
  readonly sentMessages: readonly {
    readonly part: ContextPartType;
    readonly section: string;
    readonly sent: string;
  }[];
}
/** A request as given to a model client. */
interface ContextRequestFacts {
  readonly system: SystemPrompt;
  /** The sections of each half, in order; without it each half is one section. */
  readonly outline?: readonly {
    readonly id: string;
    readonly half: "stable" | "session";
    readonly chars: number;
  }[];
  readonly messages: readonly AgentMessage[];
  /** Index of the message of the request's turn; -1 if it is not included. */
  readonly promptIndex: number;
  readonly tools: readonly ToolSchema[];
}
/**
 * Splits a request into its five parts and their sections, with the size of each. The turn's own message is part 3, its images part 4; later messages of the
 * turn are in part 2. Pure.
 */
declare function describeContext(facts: ContextRequestFacts): ContextDescription;
/** The part of a message that is sent to a model: without times, usage and fields for people. */
declare function sentForm(message: AgentMessage): string;
/** One difference between two requests. */
interface ContextChange {
  readonly part: ContextPartType;
  readonly section: string;
  readonly title: string;
  readonly type: "added" | "removed" | "changed";
  readonly charsBefore: number;
  readonly charsAfter: number;
}
/** What changed from one request to a later one. */
interface ContextDifference {
  /** The later request begins with the earlier one: same tools and system prompt, and the earlier messages first. */
  readonly prefixHeld: boolean;
  /** Where they first differ, in the order in which providers read them: tools, system prompt, messages. */
  readonly firstDifference?: {
    readonly part: ContextPartType;
    readonly section: string;
  };
  /** In system prompt, messages and tools; the turn's own text and images are new in every turn. */
  readonly changes: readonly ContextChange[];
}
/** Compares two requests of a session. Pure. */
declare function diffContext(previous: ContextDescription, next: ContextDescription): ContextDifference;
/** A piece of a turn's text. */
interface PromptBlock {
  /** `trusted`, `media-note`, `system-event`, `body`, or the title of a delimited block in lower case. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
}
/**
 * Splits a turn's text at the gateway's own lines, for reports. Every character is in exactly one block; other text is the body, including a text that this
 * product has not rendered.
 */
declare function splitEffectivePrompt(text: string): readonly PromptBlock[];
/**
 * Truncates to `maxChars` UTF-16 units without splitting a surrogate pair; a truncated text ends with `mark`, which is included. A limit below the mark's
 * length gives an empty text.
 */
declare function cutText(text: string, maxChars: number, mark: string): string;
/**
 * Estimates tokens without a tokenizer: four ASCII characters per token, and one token per other UTF-16 unit (Chinese, emoji). Messages include their images
 * and the arguments of their calls, and not what an external agent has done itself, which no model of a provider is given.
 */
declare function estimateTokens(given: string | readonly AgentMessage[]): number;
export { BOOTSTRAP_NAMES, type BootstrapFile, type CompactionPlan, type ContextBudget, DEFAULT_HEARTBEAT_PROMPT, type EffectivePromptFacts, type HistoryView, type HistoryViewOptions, IMAGE_REMOVED, type KnownResult, type MediaFacts, type ModelSettings, type PromptFacts, type Quarantine, type SystemEvent, TOOL_CALL, type TimeFormat, type ToolDecision, type ToolOutcome, beginsTurn, contextBudget, createTimeFormat, cutText, describeContext, diffContext, estimateTokens, executeTool, fallbackCompaction, isExchangeEnd, isHeartbeatOk, opensFiles, orderTools, parseDeferredArguments, planBootstrap, planCompaction, projectMessages, quarantine, renderEffectivePrompt, renderSubagentContext, renderSummaryMessage, renderSystemPrompt, rerenderMessages, runAgent, sentForm, splitEffectivePrompt, summarisePlan, unwrapDeferredCalls, viewHistory, withoutQuietRuns };