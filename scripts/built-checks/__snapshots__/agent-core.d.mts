import { AgentEvent, AgentMessage, AgentTool, AgentToolResult, CompactionMessage, JsonValue, ModelClient, ModelRequest, RunFacts, RunKind, RunLimits, SkillEntry, SteeringQueue, SystemPrompt, ToolCall, ToolSchema, UserMessage, UserMessageParts } from "@factotum/agent-contract";
/** The workspace files that the prompt takes in, in the order and priority in which it does. */
type BootstrapName = "AGENTS.md" | "SOUL.md" | "TOOLS.md" | "IDENTITY.md" | "USER.md" | "HEARTBEAT.md" | "BOOTSTRAP.md" | "MEMORY.md" | "memory.md";
/** Every bootstrap file, most important first. The last two are private memory: the second counts only where the first is missing. */
declare const BOOTSTRAP_NAMES: readonly BootstrapName[];
/** A bootstrap file as it was read. */
interface BootstrapFile {
  readonly name: BootstrapName;
  /** As the prompt shows it. */
  readonly path: string;
  /** `undefined`: the file is not there. */
  readonly content: string | undefined;
}
/** What of one file goes into the prompt. */
type PlannedFile = {
  readonly type: "present";
  readonly path: string;
  readonly text: string;
} | {
  readonly type: "missing";
  readonly path: string;
};
/** A file that did not fit: which limit cut it, and how much of it is left. */
interface BootstrapTruncation {
  readonly name: BootstrapName;
  /** `file`: its own limit; `total`: the one for all files together. */
  readonly limit: "file" | "total";
  /** Characters of the file that are in the prompt. */
  readonly keptChars: number;
  /** Characters that the file has. */
  readonly totalChars: number;
}
/** What of the bootstrap files goes into the prompt. */
interface BootstrapPlan {
  readonly projectContext: readonly PlannedFile[];
  readonly privateMemory?: PlannedFile;
  readonly truncations: readonly BootstrapTruncation[];
}
/** How much of the bootstrap files may go into a prompt. */
interface BootstrapLimits {
  /** Characters of one file; 20,000 by default. */
  readonly maxFileChars?: number;
  /** Characters of all files together, private memory included; 60,000 by default. */
  readonly maxTotalChars?: number;
  /** The model's window in tokens: all files together take at most a quarter of it. */
  readonly contextWindow: number;
  /** The kind of run that the session is made for: it decides which files are taken in. */
  readonly run: RunKind;
  /** A heartbeat takes HEARTBEAT.md alone, a cron job nothing; false by default. */
  readonly lightContext?: boolean;
}
/**
 * Which bootstrap files go into the prompt, and how much of each. Blank files are skipped, missing ones stay as a marker but
 * for HEARTBEAT, BOOTSTRAP and private memory. Where the room ends, the least important file is cut first. Files that are not given are not
 * spoken of: leave private memory out where a session is not private. Pure.
 */
declare function planBootstrap(files: readonly BootstrapFile[], limits: BootstrapLimits): BootstrapPlan;
/** What decides whether a summary is worth making. */
interface ContextTokens {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
}
/** When a conversation is compacted by itself: before a turn, and in the background after one. A provider that finds a request too long is the third cause. */
interface CompactionTriggers {
  /** True when a context leaves too little room for an answer, or when not even all of its history was read: compact before the next request. */
  readonly shouldCompact: (size: {
    readonly contextTokens: number;
    readonly omitted: number;
  }) => boolean;
  /**
   * True when the older messages should be summarised in the background: shortly before `shouldCompact` is, and only if that frees at least an eighth
   * of the window. A small window is mostly prompt and recent messages, and would otherwise be summarised after each turn.
   */
  readonly shouldCompactAhead: (size: ContextTokens) => boolean;
  /** True shortly before `shouldCompact` is: time for the silent turn in which the agent writes its notes. */
  readonly shouldFlushMemory: (contextTokens: number) => boolean;
}
/** The figures of a model's window that compaction goes by, all in tokens; `COMPACTION_DEFAULTS` where one is absent. */
interface ContextBudgetOptions {
  /** The smallest known limit of the model. */
  readonly window: number;
  /** Room for the answer, never more than a quarter of the window. */
  readonly reserveTokens?: number;
  /** Recent messages that are kept verbatim, never more than a quarter of the window. */
  readonly keepRecentTokens?: number;
}
/** How a window is divided, in tokens unless stated otherwise. */
interface ContextBudget extends CompactionTriggers {
  /** The whole window. */
  readonly window: number;
  /** Most tokens of a request. */
  readonly maxContext: number;
  /** Tokens of recent messages that are kept verbatim. */
  readonly keepRecent: number;
  /** Most tokens of a summary. */
  readonly maxSummary: number;
  /** Most tokens of transcript in one request to a summariser with this window. */
  readonly maxChunk: number;
  /** Characters of text that one tool result may have: 16,000, from 100k tokens 32,000, from 200k 64,000, and never more than 30 % of the window. */
  readonly maxToolResultChars: number;
}
/** Divides a window so that small models work with the same settings as large ones. */
declare function contextBudget({ window, reserveTokens, keepRecentTokens }: ContextBudgetOptions): ContextBudget;
/** Times as the user's zone has them. */
interface TimeFormat {
  /** `Mon 2026-06-15 14:31 UTC`: weekday, date, minute, and the zone's short name. */
  timestamp(timeMs: number): string;
  /** `2026-06-15 14:30:58`. */
  second(timeMs: number): string;
  /** `2026-06-15`. */
  day(timeMs: number): string;
}
/** Throws a `RangeError` for an unknown zone. Keep it: the making costs far more than a time, in native memory too. */
declare function createTimeFormat(timeZone: string): TimeFormat;
/** What a local truncation goes by. */
interface FallbackOptions extends ContextBudgetOptions {
  /** Tokens of system prompt and tools. */
  readonly overheadTokens: number;
  /** Times as the user's zone has them. */
  readonly time: TimeFormat;
  /** The earlier summary in front of these messages. */
  readonly previousSummary?: string;
  /** Messages before these that were not even read; they count as cut. */
  readonly omitted?: number;
}
/** What is left of a history when no model could summarise it. */
interface FallbackCompaction {
  readonly summary: string;
  /** Index of the first message that is at least partly kept; the number of messages when none is. */
  readonly firstKept: number;
  /** What follows the summary from now on. */
  readonly messages: readonly AgentMessage[];
  /** True when `messages` are not just those from `firstKept` on: keep them as they are here. */
  readonly shrunk: boolean;
  /** What is left of the last turn in words, for whoever keeps none of its messages; it takes no more of the window than they. Empty unless `shrunk`. */
  readonly words: string;
  readonly tainted: boolean;
}
/**
 * Cuts a history without a model, so that the next turn always proceeds (R9): whole turns go, oldest first; if the last turn alone is too large,
 * its images, thoughts and long results shrink, then its oldest steps go, then the rest of what was said in it. Summary and messages together,
 * after the projection, have at most the tokens that the window leaves beside reserve and overhead (1,000 at least). Deterministic and total.
 */
declare function fallbackCompaction(messages: readonly AgentMessage[], options: FallbackOptions): FallbackCompaction;
/** What a compaction is planned by. */
interface CompactionOptions extends ContextBudgetOptions {
  /** Size of the whole context now, system prompt and tools included. */
  readonly contextTokens: number;
  /** Times as the user's zone has them. */
  readonly time: TimeFormat;
  /** The window of the model that writes the summary; that of the session's model by default. */
  readonly summariserWindow?: number;
  /** The earlier summary in front of these messages. */
  readonly previousSummary?: string;
  /**
   * At most this many chunks, the newest, each of up to half of the summariser's window: for a history that is larger than the model's window. Older
   * messages are left out by rule. Unlimited by default.
   */
  readonly maxChunks?: number;
}
/** One part of what is to be summarised, as the summariser gets it. */
interface CompactionChunk {
  readonly text: string;
  readonly tokens: number;
}
/** Where to cut, and what to summarise. */
interface CompactionPlan {
  /** Index of the first message that stays; the number of messages when none does. Always a turn's beginning. */
  readonly firstKept: number;
  /**
   * Oldest first. Messages that come later change none but the last of them, so a summary that was made for a chunk with the same text is good for
   * another attempt (R9).
   */
  readonly chunks: readonly CompactionChunk[];
  /** How many of the oldest messages are in no chunk: `maxChunks` left no room for them. */
  readonly leftOut: number;
  /** The chunks are bounded in number, and so are the requests: their summaries must be merged in one. */
  readonly isLimited: boolean;
  /** The previous summary, when messages between it and the first chunk are left out; otherwise it is part of the first chunk. */
  readonly earlierSummary?: string;
  readonly tokensBefore: number;
  /** True when words of strangers are in what is summarised: the summary is tainted too (R23). */
  readonly tainted: boolean;
}
/**
 * Plans a compaction (R9): the cut lies between two turns, so no call loses its result, and about `keepRecentTokens` stay; more
 * where the turns are large and the window has room. `undefined` when there is nothing before the last turn that could be summarised; then only
 * `fallbackCompaction` helps. Pure.
 */
declare function planCompaction(messages: readonly AgentMessage[], options: CompactionOptions): CompactionPlan | undefined;
/** A compaction as the model sees it: one message before the first that is kept. Pure. */
declare function renderSummaryMessage({ summary, tainted, timestamp }: Pick<CompactionMessage, "summary" | "tainted" | "timestamp">): UserMessage;
/** The request of a summary, as the summariser gets it. */
type SummaryRequest = Pick<ModelRequest, "system" | "messages" | "tools">;
/** How a plan is summarised. */
interface SummariseOptions {
  /** Resolves to the text of the summariser's answer. Equal parts give equal requests but for the time of the message. */
  readonly ask: (request: SummaryRequest) => Promise<string>;
  /** The summariser's window, tokens. */
  readonly summariserWindow: number;
  /** The window of the session's model, tokens: the summary has to fit there. */
  readonly window: number;
  /** What the user asked for with `/compact`. */
  readonly instructions: string | undefined;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}
/**
 * Has a plan's chunks summarised one after the other, and their summaries merged until one is left (R9). A limited plan takes one request for each
 * chunk and one that merges. Rejects when `ask` does.
 */
declare function summarisePlan(plan: CompactionPlan, options: SummariseOptions): Promise<string>;
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
  /** How `channel` shows text. Included only when the system prompt was rendered for another channel. */
  readonly responseFormat?: ResponseFormat;
  /** The channel that the session's system prompt was rendered for, if any. */
  readonly promptChannel?: string;
  /** Set when another agent's session wrote. */
  readonly agentToAgent?: AgentToAgentFacts;
}
/** What of Markdown a channel shows, and how much fits into one message. */
interface ResponseFormat {
  /** The channel's name of its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  readonly maxMessageChars: number;
}
/** A message between two sessions (`sessions_send`). */
interface AgentToAgentFacts {
  /** `message`: the first one, or an answer to one; `announce`: the last step, in which the target may tell its own chat. */
  readonly step: "message" | "announce";
  readonly requesterSession: string;
  readonly requesterChannel?: string;
  readonly targetSession: string;
  /** From 1 to `maxTurns`. */
  readonly turn: number;
  readonly maxTurns: number;
}
/** One attachment of the message. */
interface MediaFacts {
  /** Where tools can read it, as the host names it: `media://inbound/<id>`. */
  readonly location?: string;
  /** As the platform names it. */
  readonly fileName?: string;
  /** Found by looking at the bytes. */
  readonly mimeType?: string;
  /** The file that tools read; absolute, shown exactly or, when it could be misread as more than a path, not at all. */
  readonly path?: string;
  /** Why it is not among the images of the request, or not there at all; absent for an image that is there, and for any other file that came. */
  readonly omitted?: "text-only" | "too-large" | "too-many" | "unreadable" | "not-allowed" | "no-tool" | "unavailable";
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
};
/** The parts of one turn's text, in their order. */
interface EffectivePromptFacts {
  /** Twelve random hexadecimal digits, new for each turn. */
  readonly delimiter: string;
  readonly run: RunKind;
  /** When the turn is made, milliseconds since the epoch. */
  readonly nowMs: number;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  readonly trusted: TrustedFacts;
  /** Text that plugins put before the turn, each under its plugin's name. */
  readonly hookContext?: readonly {
    readonly plugin: string;
    readonly text: string;
  }[];
  readonly media?: readonly MediaFacts[];
  /** Say how a file is sent back; counts only where media is attached. */
  readonly mediaReplyHint?: boolean;
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
  /**
   * Notes of today and yesterday, for the first turn of a private session; 1,200 characters of each text are shown. `untrustedText` is what was written
   * under the influence of somebody else's words.
   */
  readonly dailyNotes?: readonly {
    readonly path: string;
    readonly text: string;
    readonly untrustedText?: string;
  }[];
  /** What a webhook brought. */
  readonly payload?: {
    readonly source: string;
    readonly body: string;
  };
  readonly body: PromptBody;
  readonly untrustedNotes: readonly {
    readonly source: string;
    readonly text: string;
  }[];
  /** Bootstrap files that were cut; a heartbeat and a sub-agent are not told. */
  readonly truncations?: readonly BootstrapTruncation[];
  /** Who sent the message, as it is kept beside the text for a later rendering; absent for runs that no person started. */
  readonly storedSender?: NonNullable<UserMessageParts["sender"]>;
}
/** One turn's text as the model gets it, and the parts of it that a later rendering keeps. */
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
 * Part 3 of a request: one turn's text, rendered once; history replays it as it is.
 *
 * Pure. Text of platforms cannot make a line that reads as one of ours: in blocks it is JSON on one line, in the body such lines get a
 * backslash. Throws a `TypeError` for a delimiter that is not twelve hexadecimal digits, a `RangeError` for an unknown time zone: with
 * either the text would not be what the model is told it is. Whoever renders many keeps the `time` of the facts' zone and passes it.
 */
declare function renderEffectivePrompt(facts: EffectivePromptFacts, time?: TimeFormat): EffectivePrompt;
/** True for the message with which a turn begins: words of a user that were not said into a turn at work. Pure. */
declare function beginsTurn(message: AgentMessage | undefined): boolean;
/** Replaces a removed image. */
declare const IMAGE_REMOVED = "[image data removed - already processed by model]";
/** What of a history is left out from now on. */
interface Quarantine {
  /** The whole history, as long as before. */
  readonly messages: readonly AgentMessage[];
  /** The replacements: keep these in place of the messages at the same index. Never empty. */
  readonly replaced: readonly {
    readonly index: number;
    readonly message: AgentMessage;
  }[];
  readonly item: "image" | "thinking" | "tool-call" | "text";
  /** The provider's words named neither an item nor a place: it is what was most likely meant, and no more than that. */
  readonly isGuess: boolean;
}
/**
 * Takes the one item out of a history that a provider most likely meant when it refused to take the request (a 400 on replay, R8), so that the
 * session goes on. Looks for the id of a call in the provider's words, then for the kind of item that they name, around the place that they name,
 * the newest first; without any of these for the newest image, then call, then text. The user's last words are never taken, and what it takes
 * always changes the request.
 *
 * A call that is left out leaves its result behind, which the projection then drops; so the call that a history ends with stays, and its result goes
 * instead: a request must not end with an answer. `undefined`: nothing is left to take out, the request cannot be saved. Pure.
 */
declare function quarantine(messages: readonly AgentMessage[], hint: {
  readonly message: string;
}): Quarantine | undefined;
/**
 * True when a heartbeat's answer reports nothing: the token stands at its beginning or end, with at most 300 further characters. In the middle of a text
 * it is a word like any other. Pure.
 */
declare function isHeartbeatOk(text: string): boolean;
/**
 * A history without the runs that nobody asked for and that left nothing to tell: heartbeats whose answer is the token, or that got none, and the
 * turns in which notes were written. The poll goes with its calls and its answer; whatever came after stays. `isOpen`: the last run is still at work,
 * so it stays too.
 *
 * What stays is the same objects in the same order, so that the request after such a run begins with the one before it (R14); without one the list
 * itself comes back. Pure.
 */
declare function withoutQuietRuns(messages: readonly AgentMessage[], options: {
  readonly isOpen: boolean;
}): readonly AgentMessage[];
/** What the prompt says by itself of every turn. */
interface OlderTurnOptions {
  /** The channel that the system prompt was rendered for: a turn of another one keeps the name of its own. */
  readonly promptChannel?: string;
  /** An earlier message by its platform's id, for a reply whose platform named no more than that. */
  readonly repliedTo?: (messageId: string) => EarlierMessage | undefined;
}
/** A message that a later one may reply to. */
interface EarlierMessage {
  readonly timestamp: JsonValue | undefined;
  readonly body: string;
}
/** What older turns are rendered for. */
interface RerenderOptions extends Pick<OlderTurnOptions, "promptChannel"> {
  /** Characters of one tool result. */
  readonly toolResultMaxChars: number;
}
/**
 * Renders older turns again, at a named cause: the text of a user message keeps what tells when, by whom and about what it was said
 * (`renderOlderTurn`); images become a line of text; tool results are cut to `toolResultMaxChars` where the model's window is smaller now.
 *
 * Pure and idempotent: a message that needs no change comes back as the same object. Messages that this product did not render keep their text. Give it
 * the history without the turn that is being made, and store what it returns: from then on it is replayed as it is.
 */
declare function rerenderMessages(messages: readonly AgentMessage[], options: RerenderOptions): readonly AgentMessage[];
/** How much of a history is shown, and how. The same values over the same messages always give the same bytes. */
interface HistoryViewOptions {
  /** The last named cause: tool results of older turns were pruned then. */
  readonly settledBeforeMs: number;
  /** Tokens of the model's window. */
  readonly contextWindow: number;
  /** Old tool results become smaller at a cause (`contextPruning.mode`). */
  readonly prunes: boolean;
  /** User turns that are shown at most; `undefined` or 0 for all. */
  readonly historyLimit: number | undefined;
}
/** A named break: the next request does not begin with the one before it. */
type HistoryBreak = "images-dropped" | "history-limit" | "quarantine";
/** What of a conversation is shown, and which named breaks have just changed it. */
interface HistoryView {
  readonly messages: readonly AgentMessage[];
  readonly breaks: readonly HistoryBreak[];
}
/**
 * What of a conversation goes into a request. Everything here follows from the stored messages and the moment of the last named cause, so
 * a restart shows the same; between causes the view only grows at its end, except at the named breaks.
 */
declare function viewHistory(messages: readonly AgentMessage[], prompt: UserMessage | undefined, options: HistoryViewOptions): HistoryView;
/** What a run asks of every model request beside the prompt, the messages and the tools. */
type ModelSettings = Omit<ModelRequest, "system" | "messages" | "tools">;
/** The host's decision about a call before it runs. `message` is for the model: it names the rule and what to do. */
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
/** What a call came to before this run. */
interface KnownResult extends AgentToolResult {
  /** It contains text from others (R23). */
  readonly tainted: boolean;
}
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
interface RunAgentOptions {
  /** Ends the run as `aborted`; carries the deadline too. Its reason's text becomes the outcome's. */
  readonly signal: AbortSignal;
  readonly limits: RunLimits;
  /** Characters of text that one tool result may have (`contextBudget`). */
  readonly maxToolResultChars: number;
}
/**
 * Runs the agent: model request, tool calls, results, next request, until the model has the last word.
 *
 * Begins with `run-start` and ends with one `run-end`: done, aborted or failed; it never rejects. It is pulled: nothing goes on until the
 * consumer asks for the next event, so what the consumer commits on an event is on disk before the loop goes on (`AgentEvent`).
 * Every tool call of a `message-end` gets exactly one `tool-end`; a call that was never run (unknown, refused, skipped) has no
 * `tool-start`. A turn in which the model gave nothing has no `message-end` and no `turn-end`.
 * A model that ends without a word is asked once more in the same turn: the next `message-start` withdraws what it thought.
 * A consumer that leaves early aborts the request and the tools at work.
 *
 * Without a prompt it goes on from the history. A history that already ends with an answer is a run that is over: its outcome comes at
 * once, without a request.
 */
declare function runAgent(input: RunAgentInput, options: RunAgentOptions): AsyncIterable<AgentEvent>;
/**
 * The neutral repair of a history: whatever is stored, what comes out has a shape that can be sent (R8).
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
/** True if one of the tools can open a file that is named to the model. Commands run for the owner only. */
declare function opensFiles(tools: readonly {
  readonly name: string;
}[], { owner }: {
  readonly owner: boolean;
}): boolean;
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
/** Where tools run in sandboxed turns. */
interface PromptSandbox {
  /** Whose turns are sandboxed: everybody's, or all but the owner's. */
  readonly turns: "all" | "non-owner";
  readonly backend: string;
  /** The working folder as tools see it. */
  readonly folder: string;
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** `none`, or the name of what can be reached. */
  readonly network: string;
  /** What of commands on the host: never, each after an approval, or freely. */
  readonly elevated: "off" | "ask" | "full";
}
/** What the channel of the session can show, from its declared capabilities. */
interface PromptChannel {
  /** The channel's name of its markup. */
  readonly dialect: string;
  readonly markdown: "full" | "subset" | "none";
  /** Longest single message. */
  readonly maxMessageChars: number;
  /** True when the channel has reactions and the `message` tool can set them. */
  readonly reactions: boolean;
  /** True when the channel plays voice messages. */
  readonly voice: boolean;
}
/** Who sees the model's thoughts. */
interface PromptReasoning {
  readonly visibility: "off" | "on" | "stream";
  /** True when the model keeps its thoughts apart by itself. */
  readonly native: boolean;
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
  /** True when this build can replace itself by a newer version. */
  readonly selfUpdate?: boolean;
  readonly modelAliases?: readonly {
    readonly alias: string;
    readonly model: string;
  }[];
  /** Absolute path of the one working directory. Left out for a session that others than the owner read: its prompt names no path of the owner's. */
  readonly workspace?: string;
  /** Where the product's documentation is; the section is left out when nothing is known. */
  readonly documentation: {
    readonly folder?: string;
    readonly url?: string;
  };
  /** Twelve hexadecimal digits for each owner; empty when none is configured. */
  readonly authorizedSenders: readonly string[];
  /** The workspace's bootstrap files, as `planBootstrap` chose and cut them. */
  readonly projectContext?: readonly PlannedFile[];
  /** Set when some turns of the session are sandboxed. */
  readonly sandbox?: PromptSandbox;
  /** Set for private sessions whose workspace has the file. */
  readonly privateMemory?: PlannedFile;
  /** True when a reply of this session can be delivered to a channel. */
  readonly deliversToChannel: boolean;
  /** The channel that replies go to. */
  readonly channel?: PromptChannel;
  /** Set for sessions of groups and channels. */
  readonly group?: PromptGroup;
  /** Set for the main and the heartbeat session of an agent that has a heartbeat. `prompt` is what the owner wrote in place of the usual words. */
  readonly heartbeat?: {
    readonly prompt: string | undefined;
  };
  /** The kind of run that the session was made for; `user` by default. */
  readonly run?: RunKind;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
  /** Subagent Context, or the `system` messages of an HTTP request. */
  readonly extra?: string;
  readonly reasoning?: PromptReasoning;
  readonly runtime: PromptRuntime;
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
/** Part 1 of a request, and the sections that it is made of, in order, for reports of what the model sees. */
interface RenderedPrompt {
  readonly system: SystemPrompt;
  readonly sections: readonly RenderedSection[];
}
/** Part 1 of a request, as the kind of run has it. Pure: equal facts give equal bytes. The cache boundary between the halves is no text. */
declare function renderSystemPrompt(facts: PromptFacts): RenderedPrompt;
/** The parts of a request: system prompt, earlier messages, this turn's text, its images, the tools. */
type ContextPartType = "system" | "messages" | "prompt" | "images" | "tools";
/** How large something is. `bytes` are those of the text in UTF-8, for images those of the file; `tokens` is an estimate. */
interface ContextSize {
  readonly chars: number;
  readonly bytes: number;
  readonly tokens: number;
}
/** One piece of a part. */
interface DescribedSection extends ContextSize {
  /** Unique in its part, and stable across requests for the same content. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  readonly half?: "stable" | "session";
  readonly images?: readonly {
    readonly mimeType: string;
    readonly bytes: number;
  }[];
  /** What a tool's result had lost before the model got it. */
  readonly truncation?: {
    readonly keptChars: number;
    readonly totalChars: number;
  };
  /** For people: the text as it was sent; images by kind and size, calls with their arguments. */
  readonly text: string;
  /** Equal for two sections exactly when the same goes to the model. */
  readonly sent: string;
}
/** One part with its sections, in the order of sending. */
interface DescribedPart extends ContextSize {
  readonly type: ContextPartType;
  readonly sections: readonly DescribedSection[];
}
/** A request, taken apart. */
interface ContextDescription {
  /** All five, in the design's order; empty ones too. */
  readonly parts: readonly DescribedPart[];
  readonly total: ContextSize;
  /** Every message in the order of sending; `parts` shows the turn's own message apart. */
  readonly sentMessages: readonly {
    readonly part: ContextPartType;
    readonly section: string;
    readonly sent: string;
  }[];
}
/** What a request is made of, as it goes to a model client. */
interface ContextRequestFacts {
  readonly system: SystemPrompt;
  /** Where the sections lie in the halves, in order; without it each half is one section. */
  readonly outline?: readonly {
    readonly id: string;
    readonly half: "stable" | "session";
    readonly chars: number;
  }[];
  readonly messages: readonly AgentMessage[];
  /** Index of the message of the turn that the request belongs to; -1 when it is not among them. */
  readonly promptIndex: number;
  readonly tools: readonly ToolSchema[];
}
/**
 * Takes a request apart into its five parts and their sections, with the size of each. The turn's own message is shown as
 * part 3, its images as part 4; what the turn has said and done since then belongs to the messages. Pure.
 */
declare function describeContext(facts: ContextRequestFacts): ContextDescription;
/** The part of a message that is sent to a model: no times, no usage, nothing kept for people. */
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
  /** The later one begins with the earlier one: tools and system prompt are the same, and its messages go on from the earlier ones. */
  readonly prefixHeld: boolean;
  /** Where it first differs, in the order in which providers read: tools, system prompt, messages. */
  readonly firstDifference?: {
    readonly part: ContextPartType;
    readonly section: string;
  };
  /** In system prompt, messages and tools; the turn's own text and images are new in every turn. */
  readonly changes: readonly ContextChange[];
}
/** Compares two requests of a session. Pure. */
declare function diffContext(previous: ContextDescription, next: ContextDescription): ContextDifference;
/** At most `maxChars` UTF-16 units, no pair of them split; what was cut ends with `mark`, which counts. A limit below the mark leaves nothing. */
declare function cutText(text: string, maxChars: number, mark: string): string;
/**
 * A guess without a tokenizer: four ASCII characters a token, one token for every other UTF-16 unit (Chinese, emoji). Messages are counted with their
 * images and the arguments of their calls.
 */
declare function estimateTokens(given: string | readonly AgentMessage[]): number;
export { BOOTSTRAP_NAMES, type BootstrapFile, type CompactionPlan, type ContextBudget, type EffectivePromptFacts, type HistoryView, type HistoryViewOptions, IMAGE_REMOVED, type KnownResult, type MediaFacts, type ModelSettings, type PromptFacts, type Quarantine, type SystemEvent, type TimeFormat, type ToolDecision, beginsTurn, contextBudget, createTimeFormat, cutText, describeContext, diffContext, estimateTokens, fallbackCompaction, isHeartbeatOk, opensFiles, orderTools, planBootstrap, planCompaction, projectMessages, quarantine, renderEffectivePrompt, renderSummaryMessage, renderSystemPrompt, rerenderMessages, runAgent, sentForm, summarisePlan, viewHistory, withoutQuietRuns };