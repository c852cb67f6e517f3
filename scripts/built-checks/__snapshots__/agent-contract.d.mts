/** How compaction divides a context window where nothing else is configured, in tokens. */
declare const COMPACTION_DEFAULTS: {
  /** Room for the answer. */
  readonly reserveTokens: 20_000;
  /** Recent messages that are kept verbatim. */
  readonly keepRecentTokens: 20_000;
};
/** A value that JSON can carry without loss. */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object. Keys never hold NUL (R10). */
interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
/** A JSON Schema (2020-12) as a plain object; what a provider cannot take of it is adapted in `models`. */
type JsonSchema = JsonObject;
/** Text for a person or a model. Markdown where a person reads it. */
interface TextContent {
  readonly type: "text";
  readonly text: string;
}
/** An image, inline. */
interface ImageContent {
  readonly type: "image";
  /** Base64 without a data-URL prefix. */
  readonly data: string;
  /** Found by looking at the bytes, never taken from a file name. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}
/** What a model thought before it answered. Never visible on a channel unless reasoning was asked for. */
interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /**
   * The provider's proof that the block is its own, opaque and in the provider's own shape. Sent back only to the provider and model
   * that made it; dropped for every other.
   */
  readonly signature?: JsonObject;
}
/** A request of the model to run one tool. Never stored while it is being written. */
interface ToolCallContent {
  readonly type: "toolCall";
  /** Unique in its session; the provider's own id, or one made by `models` where the provider has none. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * Why the arguments could not be read: they are no JSON object, or the answer reached its output limit inside them. Then `arguments` is empty, and the
   * call is answered with an error instead of being run.
   */
  readonly unreadable?: string;
  /** Opaque data that the provider wants back with this call (a thought signature, for example). */
  readonly providerData?: JsonObject;
}
/** Every run kind. */
declare const RUN_KINDS: readonly ["user", "heartbeat", "cron", "hook", "subagent", "a2a", "compaction", "memory"];
/** What made a run. Set once, when the run is made; selects the prompt variant, the lane and the spend cause. */
type RunKind = (typeof RUN_KINDS)[number];
/** Every thinking level, weakest first; `adaptive` stands before `max`. */
declare const THINKING_LEVELS: readonly ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"];
/** How hard a model should think. `adaptive` leaves the amount to the model. */
type ThinkingLevel = (typeof THINKING_LEVELS)[number];
/** What a tool may know of the run that calls it. Immutable. */
interface RunFacts {
  readonly runId: string;
  readonly kind: RunKind;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The one working directory: absolute, symbolic links resolved. */
  readonly workspace: string;
  /** True when the sender of the message that made the run is the owner. Authority comes from here, never from arguments. */
  readonly owner: boolean;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
}
/** Bounds of a run. The time limit is not here: it is the deadline of the run's signal. */
interface RunLimits {
  /** Model requests in one run. */
  readonly maxTurns: number;
  /** Tool calls in one run; 100 by default. */
  readonly maxToolCalls: number;
  /** Tools that may run at the same time, when all calls of a message are marked parallel. */
  readonly maxParallelTools: number;
}
/**
 * Tokens of one model call.
 *
 * `input` never contains cached tokens (OpenAI's figure is reduced by them), and `total = input + output + cacheRead + cacheWrite`.
 * The size of the context after a call is `input + cacheRead + cacheWrite` of that call.
 */
interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  /** US dollars, when the model's price is known. */
  readonly costUsd?: number;
}
/** Usage of a call that never got an answer. */
declare const NO_USAGE: Usage;
/**
 * Usage of several calls. The sums say what was spent; the `last*` fields say how large the context is.
 * The two are never mixed: a context size is not a sum of calls.
 */
interface UsageTotals extends Usage {
  readonly calls: number;
  readonly lastInput: number;
  readonly lastCacheRead: number;
  readonly lastCacheWrite: number;
}
/** Totals before the first call. */
declare const NO_USAGE_TOTALS: UsageTotals;
/** Adds one call to the totals. The cost stays unknown as long as no call had a known one. */
declare function addUsage(totals: UsageTotals, call: Usage): UsageTotals;
/** The totals of two runs after each other; how large the context is, the later one says. */
declare function joinUsage(earlier: UsageTotals, later: UsageTotals): UsageTotals;
/** What remains of a user's message when an older turn is rendered anew. */
interface UserMessageParts {
  /** The text as the person wrote it, before any prefix. */
  readonly body: string;
  /** `task`: the host's own words, shown as they are; `media-only`: attachments without a word; absent: words of a person. */
  readonly bodyType?: "task" | "media-only";
  /** Absent for runs that no person started. */
  readonly sender?: {
    readonly id: string;
    readonly name?: string;
    readonly owner: boolean;
  };
  /** What made the run; absent for `user`. A later rendering and the people who look at the conversation go by it, no model gets it from here. */
  readonly run?: RunKind;
  /** True for words that came into a turn that another message had begun: steered into its run, or gathered with it. They begin no turn of their own. */
  readonly joined?: true;
  /** Lines that begin with `System:`, without their delimiter. */
  readonly systemEvents: readonly string[];
  /** Where the message came from, for people who look at the conversation; never sent to a model. */
  readonly source?: {
    readonly channel: string;
    readonly eventId: string;
  };
  /** Attachments that the gateway keeps for the conversation, for people who look at it; never sent to a model from here. */
  readonly files?: readonly KeptFile[];
}
/** An attachment in the gateway's media store. */
interface KeptFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** As it is called where it comes from. */
  readonly name?: string;
}
/** One user turn, exactly as it was or will be sent: history replays `content` byte for byte. */
interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextContent | ImageContent)[];
  readonly parts?: UserMessageParts;
  /** True when the content holds text or files of anybody but the owner (R23). */
  readonly tainted?: boolean;
  /** Wall clock, milliseconds since the epoch. */
  readonly timestamp: number;
}
/** Why a model stopped. `aborted` and `error` mark a message that is incomplete on purpose. */
type StopReason = "stop" | "length" | "toolUse" | "aborted" | "error";
/** One answer of a model. */
interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[];
  /** The wire format that was spoken, such as `anthropic-messages`. */
  readonly api: string;
  /** The id of the provider in the configuration. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  /** For `error` and `aborted`: what happened, for people; never holds a prompt or a secret. */
  readonly errorMessage?: string;
  readonly timestamp: number;
}
/** The one result of one tool call. */
interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  /** What the model sees. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** What programs see. JSON only, so that it survives storage. */
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True when the tool's output is untrusted (R23). */
  readonly tainted?: boolean;
  readonly timestamp: number;
}
/** Stands for everything before the first kept entry after a compaction. */
interface CompactionMessage {
  readonly role: "compaction";
  readonly summary: string;
  /** Id of the first transcript entry that is still sent as it is. */
  readonly firstKeptEntryId: string;
  /** Size of the context before the cut, in tokens. */
  readonly tokensBefore: number;
  /** True when words of strangers went into the summary (R23). */
  readonly tainted?: boolean;
  /** With `tainted`: the newest transcript entry whose words of strangers are in the summary. Without it, nobody knows. */
  readonly taintedThrough?: string;
  readonly timestamp: number;
}
/** A provider-neutral message of a conversation. */
type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage;
/** What a tool does to the world; policies, approvals, retries after a crash and taint are decided from it. */
interface ToolTraits {
  readonly effect: "read" | "write" | "execute" | "send" | "config";
  /** Running it twice with the same arguments leaves the same state. */
  readonly idempotent: boolean;
  /** `untrusted` when the result can hold words of strangers (web, mail, media); taints the turn (R23). */
  readonly output: "trusted" | "untrusted";
  readonly network: boolean;
  /** May run beside other calls of the same message. */
  readonly parallel: boolean;
}
/** A complete tool call. The arguments are parsed JSON, not yet validated by the tool's own schema. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}
/** What the loop hands to a tool beside the call. */
interface ToolOptions {
  readonly signal: AbortSignal;
  readonly run: RunFacts;
  /** The model had been given text of somebody who is not the owner when it made this call (R23). */
  readonly tainted: boolean;
  /** Reports output while the tool runs. For people who watch; the model never sees it. Never throws. */
  readonly onDelta: (text: string) => void;
}
/** What a tool answers. `content` is what the model sees, `details` what programs see. */
interface AgentToolResult {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonValue;
  readonly isError?: boolean;
  /** True when this result holds words of strangers although the tool's trait says `trusted`: a file of the media store (R23). */
  readonly untrusted?: boolean;
}
/** A tool's name, words and schema: all that a model request needs to know of it. */
interface ToolSchema {
  /** `[A-Za-z0-9_-]`, at most 64 characters, unique in a request. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
/** A tool that an agent can call. */
interface AgentTool extends ToolSchema {
  /** One line for the Tooling section of the prompt. */
  readonly summary: string;
  readonly traits: ToolTraits;
  /**
   * Runs the call. Bad arguments and failures that the model can act on are results with `isError`; a rejection is turned into such a
   * result by the loop. After an abort it settles soon; what it then returns is ignored.
   */
  execute(call: ToolCall, options: ToolOptions): Promise<AgentToolResult>;
}
/** Where tools come from: the product itself, a plugin, a server. Everything that a model can call arrives this way. */
interface ToolSource {
  /** `core` for the product's own. Unique among the sources of a gateway. */
  readonly id: string;
  /** A name that an earlier source has taken stays that one's. */
  readonly tools: readonly AgentTool[];
}
/** When the same request may be tried again. Decided once, where the failure is seen. */
type Retry = {
  readonly type: "never";
} | {
  readonly type: "after";
  readonly delayMs: number;
} | {
  readonly type: "backoff";
};
/**
 * - `unauthorized`: the credential is missing, wrong or not allowed to use this model.
 * - `billing`: the account is out of credit or over its plan.
 * - `rate-limited`, `overloaded`: try later.
 * - `context-overflow`: the request does not fit into the model's window.
 * - `invalid-request`: the provider will never take this request.
 * - `not-found`: no such model or endpoint.
 * - `refused`: the model declined to answer.
 * - `filtered`: the provider's content filter stopped the request or the answer.
 * - `timeout`: one of the three limits (connect, first event, between events) ran out.
 * - `unreachable`: no connection, or it broke before an answer.
 * - `truncated`: the answer broke off, or what came was no valid answer.
 * - `output-limit`: the answer was longer than one answer may be, and was stopped there.
 * - `server`: the provider failed.
 * - `budget`: not sent, because the cause of the call has used up what it may use, or pauses after failures.
 * - `aborted`: our own signal.
 */
type ModelErrorCode = "unauthorized" | "billing" | "rate-limited" | "overloaded" | "context-overflow" | "invalid-request" | "not-found" | "refused" | "filtered" | "timeout" | "unreachable" | "truncated" | "output-limit" | "server" | "budget" | "aborted";
/** Why a model request failed. The message is for people and holds neither prompt nor secret. */
declare class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retry: Retry;
  /** The HTTP status, when an answer came. */
  readonly status?: number;
  constructor(code: ModelErrorCode, message: string, options: ErrorOptions & {
    readonly retry: Retry;
    readonly status?: number;
  });
  /** True for every ModelError, also one of another copy of this package. */
  static isInstance(value: unknown): value is ModelError;
}
/**
 * Part 1 of a request. Between the halves lies the cache boundary: adapters turn it into cache marks, it is never text.
 * The stable half is identical for all sessions of an agent; the session half is fixed for one session.
 */
interface SystemPrompt {
  readonly stable: string;
  readonly session: string;
}
/** How long a provider should keep the request's prefix: not at all, its default (about 5 minutes), or about an hour. */
type CacheRetention = "none" | "short" | "long";
/** One request to one model. The client that takes it is bound to provider, model and credential. */
interface ModelRequest {
  readonly system: SystemPrompt;
  /** Already repaired: each call is followed by its one result, the first message is the user's. */
  readonly messages: readonly AgentMessage[];
  /** Sorted as in the Tooling section; empty for a text-only run. */
  readonly tools: readonly ToolSchema[];
  /** Tokens; the model's own limit when left out. */
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  /** People read the thoughts: the provider is asked for readable ones, also when no level is set. Changes nothing for a level of `off`. */
  readonly showThoughts?: boolean;
  /** A stable key of the conversation, for providers that route by one. Never holds a platform id. */
  readonly cacheKey?: string;
  /** `short` when left out. */
  readonly cacheRetention?: CacheRetention;
}
/**
 * What a model client yields. Exactly one `message-end` or `message-failed` comes, and it is the last event.
 * A further `message-start` withdraws everything since the one before: that try broke off before any text of it had come.
 * `index` counts the blocks of the message in the order in which they started.
 */
type ModelEvent = {
  readonly type: "message-start";
  readonly usage?: Usage;
} | {
  readonly type: "text-start";
  readonly index: number;
} | {
  readonly type: "text-delta";
  readonly index: number;
  readonly text: string;
} | {
  readonly type: "text-end";
  readonly index: number;
  readonly text: string;
} | {
  readonly type: "thinking-start";
  readonly index: number;
} | {
  readonly type: "thinking-delta";
  readonly index: number;
  readonly text: string;
} | {
  readonly type: "thinking-end";
  readonly index: number;
  readonly text: string;
} | {
  readonly type: "tool-call-start";
  readonly index: number;
  readonly id: string;
  readonly name: string;
} | {
  readonly type: "tool-call-delta";
  readonly index: number;
  readonly id: string;
  readonly argumentsText: string;
} | {
  readonly type: "tool-call-end";
  readonly index: number;
  readonly id: string;
  readonly name: string;
} | {
  readonly type: "message-end";
  readonly message: AssistantMessage;
} | {
  readonly type: "message-failed";
  readonly error: ModelError;
  readonly partial?: AssistantMessage;
};
/** Talks to one model. */
interface ModelClient {
  readonly info: ModelInfo;
  /**
   * Sends one request and yields what comes back. Never throws: every failure, an abort included, ends the stream with `message-failed`.
   * Leaving the loop early closes the connection. A client that retries never yields a text twice.
   */
  stream(request: ModelRequest, options: {
    readonly signal: AbortSignal;
  }): AsyncIterable<ModelEvent>;
}
/** US dollars for one million tokens. */
interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** A cache write that is kept for an hour (`long` retention). */
  readonly cacheWriteLong?: number;
  /** Prices of the whole request once its prompt, cached tokens included, has more than `aboveTokens`. */
  readonly longContext?: Omit<ModelCost, "longContext"> & {
    readonly aboveTokens: number;
  };
}
/** How long a provider keeps a prefix after its last use, by the retention that was asked for. `null`: it does not expire. */
interface CacheLifetime {
  readonly shortMs: number | null;
  readonly longMs: number | null;
}
/** What is known of a model. */
interface ModelInfo {
  /** Id of the provider in the configuration. */
  readonly provider: string;
  /** The provider's own name of the model. */
  readonly id: string;
  readonly api: ModelApi;
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutput: number;
  readonly input: readonly ("text" | "image")[];
  /** `prompt`: tools are described in the prompt and parsed from text; `none`: the model gets no tools. */
  readonly tools: "native" | "prompt" | "none";
  readonly reasoning: boolean;
  /** The thinking levels that the provider takes for this model. Absent: what its wire format takes in general. */
  readonly thinkingLevels?: readonly ThinkingLevel[];
  readonly cost?: ModelCost;
  /** Absent: not documented; 5 minutes are assumed, and an hour for long retention. */
  readonly cacheLifetime?: CacheLifetime;
  /** False when the values are safe guesses, because neither the catalogue nor the configuration knows the model. */
  readonly known: boolean;
}
/** The wire formats, and `demo`, which has none. */
type ModelApi = "anthropic-messages" | "openai-responses" | "openai-chat" | "google-generative-ai" | "mistral" | "demo";
/** Every wire format. */
declare const MODEL_APIS: readonly ModelApi[];
/** How a run ended. */
type RunOutcome = {
  readonly type: "done";
  readonly message: AssistantMessage;
} | {
  readonly type: "aborted";
  readonly reason: string;
} | {
  readonly type: "failed";
  readonly code: RunFailureCode;
  /** For the owner: names providers, models and settings. Holds neither prompt nor secret. */
  readonly message: string;
  /** When the model can be asked again, where its provider says so. */
  readonly retryAfterMs?: number;
};
/**
 * Why a run failed: a model error's code, one of the run's own bounds, or an answer that is none.
 *
 * - `empty`: the model ended without a word, twice.
 * - `output-limit`: the answer was stopped at its limit, or the model reached the limit of its output before there was an answer or a complete tool call.
 * - `malformed-calls`: it went on writing tool calls that cannot be read.
 */
type RunFailureCode = ModelErrorCode | "loop" | "max-turns" | "max-tool-calls" | "empty" | "malformed-calls" | "internal";
/**
 * What an agent run yields. Every run begins with `run-start` and ends with one `run-end`.
 *
 * The stream is pulled: the loop goes on only when the consumer asks for the next event. So a consumer that commits `message-end` and
 * `tool-start` before it asks again has them on disk before any tool runs, and every `tool-end` before the next model request.
 * A turn in which the model gave nothing has no `message-end` and no `turn-end`: the run ends there.
 */
type AgentEvent = {
  readonly type: "run-start";
  readonly kind: RunKind;
} | {
  readonly type: "turn-start";
  readonly turn: number;
} | {
  readonly type: "model-event";
  readonly turn: number;
  readonly event: ModelStreamEvent;
} | {
  readonly type: "message-end";
  readonly turn: number;
  readonly message: AssistantMessage;
} | {
  readonly type: "tool-start";
  readonly turn: number;
  readonly call: ToolCall;
} | {
  readonly type: "tool-delta";
  readonly turn: number;
  readonly callId: string;
  readonly text: string;
} | {
  readonly type: "tool-end";
  readonly turn: number;
  readonly call: ToolCall;
  readonly result: ToolResultMessage;
} | {
  readonly type: "steering";
  readonly turn: number;
  readonly messages: readonly UserMessage[];
} | {
  readonly type: "turn-end";
  readonly turn: number;
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
} | {
  readonly type: "hook-error";
  readonly hook: string;
  readonly message: string;
} | {
  readonly type: "run-end";
  readonly outcome: RunOutcome;
  readonly usage: UsageTotals;
};
/** The events of a model stream that are shown as they come; the two last ones become events of the run. */
type ModelStreamEvent = Exclude<ModelEvent, {
  readonly type: "message-end" | "message-failed";
}>;
/** Hands the loop what came in while it was busy. */
interface SteeringQueue {
  /** Takes everything that waits, oldest first. Called after every tool call and before every model request. */
  take(): Promise<readonly UserMessage[]>;
}
/** The time, injected. */
interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Milliseconds that only go forward. For deadlines. */
  monotonic(): number;
  /** Calls back once after `delayMs`; disposing cancels. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): Disposable;
}
/** Randomness, injected. */
interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID. */
  uuid(): string;
  /** In [0, 1); for jitter, not for secrets. */
  float(): number;
}
/** A structured log. Values under secret-like keys and registered secrets are redacted by the implementation. */
interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A log whose every line carries these fields too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}
/** One command to run: a shell line, or a program with its arguments. */
interface CommandRequest {
  readonly command: {
    readonly type: "shell";
    readonly text: string;
  } | {
    readonly type: "argv";
    readonly file: string;
    readonly args: readonly string[];
  };
  /** Absolute. */
  readonly cwd: string;
  /** Added to the runner's own small environment, which never holds the gateway's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds until the process group is killed. */
  readonly timeoutMs: number;
  /** Bytes kept of the output: the beginning and the end; the middle is counted and dropped. */
  readonly maxOutputBytes: number;
}
/** How a command ended. */
interface CommandResult {
  readonly end: {
    readonly type: "exited";
    readonly exitCode: number;
  } | {
    readonly type: "signalled";
    readonly signal: string;
  } | {
    readonly type: "timed-out";
  } | {
    readonly type: "aborted";
  } | {
    readonly type: "over-limit";
    readonly limit: "processes" | "memory";
    readonly used: number;
    readonly allowed: number;
  } | {
    readonly type: "not-started";
    readonly message: string;
  };
  /** Standard output and standard error in the order of arrival, UTF-8, with a mark where something was dropped. */
  readonly output: string;
  /** Bytes the command wrote in all. */
  readonly outputBytes: number;
  readonly durationMs: number;
}
/** Where commands run: on the host, or in a sandbox. Implemented by `sandbox`, used by `tools`. */
interface CommandRunner {
  /**
   * Runs one command to its end. Never rejects. When it settles, no process of the command's group is left. `onOutput` is called with the beginning of the
   * output as it arrives, until that is more than `maxOutputBytes`.
   */
  run(request: CommandRequest, options: {
    readonly signal: AbortSignal;
    readonly run: RunFacts;
    readonly onOutput: (text: string) => void;
  }): Promise<CommandResult>;
}
/** One skill, as the index of the prompt shows it. */
interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** The path of SKILL.md as the model should give it to `read`: relative to the workspace (`./skills/…`) if it lies inside, else absolute. */
  readonly location: string;
  readonly version?: string;
  readonly source: "bundled" | "managed" | "workspace" | "extra";
  /** Absolute folder of the skill: readable by tools. */
  readonly folder: string;
}
/** Which skills there are. Implemented by `skills`, used by the gateway. */
interface SkillIndex {
  /** The eligible skills, by name; `allow` narrows (`undefined`: all, `[]`: none). */
  list(options: {
    readonly workspace: string;
    readonly allow?: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<readonly SkillEntry[]>;
}
/** One found passage of the notes. */
interface NoteHit {
  /** Relative to the workspace. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
}
/** Search over the agent's notes. Implemented by `memory`, used by `tools`. */
interface NoteIndex {
  /** Best first. `degraded` says why the search was weaker than it should be. Never blocks for an index that is being built. */
  search(query: string, options: {
    readonly agentId: string;
    readonly maxResults: number;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly hits: readonly NoteHit[];
    readonly degraded?: string;
  }>;
}
/** A file that a tool is about to create or replace. */
interface FileWrite {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** The whole new content. */
  readonly content: string;
  readonly run: RunFacts;
  /** The model had been given text of somebody who is not the owner when it asked for this write (R23). */
  readonly tainted: boolean;
}
/** Knows which text in files came from tainted turns (R23). Implemented by `gateway`, used by `tools`. */
interface FileProvenance {
  /** Asked before each write; what it records stands before the file changes. The message of a refusal is for the model. Rejects when it cannot record. */
  beforeWrite(write: FileWrite): Promise<{
    readonly type: "allow";
  } | {
    readonly type: "refuse";
    readonly message: string;
  }>;
  /** True when a file holds text that a tainted turn wrote. `path` is absolute, symbolic links resolved. */
  isUntrusted(path: string, run: RunFacts): Promise<boolean>;
}
/** What became of a message that a tool sent. */
type MessengerResult = {
  readonly type: "queued";
  readonly channel: string;
  readonly target: string;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** Sends messages for the `message` tool. Implemented by the gateway, which knows the run's address. */
interface Messenger {
  /**
   * Sends `text`, and behind it the file that `media` names (a path in the workspace or an http(s) address), to where the run came from, or to `target` on
   * `channel`. Never rejects. The same `callId` sends once.
   */
  send(request: {
    readonly callId: string;
    readonly text: string;
    readonly media?: string;
    readonly channel?: string;
    readonly target?: string;
  }, options: {
    readonly signal: AbortSignal;
    readonly run: RunFacts;
  }): Promise<MessengerResult>;
}
/** An object whose keys are missing where their value was `undefined`. */
type WithoutUndefined<Values> = { readonly [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key]; } & { readonly [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>; };
/** The given keys, in their order, without those whose value is `undefined`: for spreading into an object whose optional keys are set or missing. */
declare function withoutUndefined<Values extends object>(values: Values): WithoutUndefined<Values>;
export { type AgentEvent, type AgentMessage, type AgentTool, type AgentToolResult, type AssistantMessage, COMPACTION_DEFAULTS, type CacheLifetime, type CacheRetention, type Clock, type CommandRequest, type CommandResult, type CommandRunner, type CompactionMessage, type FileProvenance, type FileWrite, type ImageContent, type JsonObject, type JsonSchema, type JsonValue, type KeptFile, type Logger, MODEL_APIS, type Messenger, type MessengerResult, type ModelApi, type ModelClient, type ModelCost, ModelError, type ModelErrorCode, type ModelEvent, type ModelInfo, type ModelRequest, type ModelStreamEvent, NO_USAGE, NO_USAGE_TOTALS, type NoteHit, type NoteIndex, RUN_KINDS, type Random, type Retry, type RunFacts, type RunFailureCode, type RunKind, type RunLimits, type RunOutcome, type SkillEntry, type SkillIndex, type SteeringQueue, type StopReason, type SystemPrompt, THINKING_LEVELS, type TextContent, type ThinkingContent, type ThinkingLevel, type ToolCall, type ToolCallContent, type ToolOptions, type ToolResultMessage, type ToolSchema, type ToolSource, type ToolTraits, type Usage, type UsageTotals, type UserMessage, type UserMessageParts, type WithoutUndefined, addUsage, joinUsage, withoutUndefined };