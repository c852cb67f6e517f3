/** How compaction divides a context window by default, in tokens. */
declare const COMPACTION_DEFAULTS: {
  /** Reserved for the answer. */
  readonly reserveTokens: 20_000;
  /** Recent messages that are kept verbatim. */
  readonly keepRecentTokens: 20_000;
};
/** A value that JSON represents without loss. */
type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A JSON object. Keys never contain NUL (R10). */
interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}
/** A JSON Schema (2020-12) as a plain object; `models` adapts what a provider does not accept. */
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
  /** Detected from the bytes, never taken from a file name. */
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
}
/** A model's thinking before its answer. Never visible on a channel unless reasoning was requested. */
interface ThinkingContent {
  readonly type: "thinking";
  readonly text: string;
  /**
   * The provider's proof of origin for the block, opaque and in the provider's own shape. Sent back only to the provider and model that produced it; dropped
   * for any other.
   */
  readonly signature?: JsonObject;
}
/** A model's request to run one tool. Never stored while it is incomplete. */
interface ToolCallContent {
  readonly type: "toolCall";
  /** Unique within its session; the provider's own id, or one that `models` generates if the provider has none. */
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * Why the arguments could not be parsed: they are not a JSON object, or the answer reached its output limit inside them. `arguments` is empty then, and the
   * call is answered with an error instead of being run.
   */
  readonly unreadable?: string;
  /** True if the model made the call through `tool_call`, since the tool is not in its request. Replayed to models in that form. */
  readonly deferred?: true;
  /** True if the tool is a client's: the call is not run here, and its result comes with the client's next request. */
  readonly client?: true;
  /** True if an external agent made and ran the call itself: nothing was decided or run here. For people; never sent to a model of a provider. */
  readonly external?: true;
  /** Opaque data that the provider requires back with this call (a thought signature, for example). */
  readonly providerData?: JsonObject;
}
/** All run kinds. `a2a`, between agents: the words of another session, and the results of sub-agents; messages over the protocol A2A are `user`. */
declare const RUN_KINDS: readonly ["user", "heartbeat", "cron", "hook", "command", "subagent", "a2a", "compaction", "memory"];
/** The cause of a run. Set once, when the run is created; selects the prompt variant, the lane and the spend cause. */
type RunKind = (typeof RUN_KINDS)[number];
/** All thinking levels, weakest first; `adaptive` before `max`. */
declare const THINKING_LEVELS: readonly ["off", "minimal", "low", "medium", "high", "xhigh", "adaptive", "max"];
/** How much a model should think. `adaptive` leaves it to the model. */
type ThinkingLevel = (typeof THINKING_LEVELS)[number];
/** The sandbox of a run. */
interface RunSandbox {
  /** Access to the agent's own workspace. `none`: the run works in a folder of its own. */
  readonly workspaceAccess: "none" | "ro" | "rw";
  /** True if other people than the owner work in it too, so that whatever a command prints may be theirs (R23). */
  readonly shared: boolean;
  /**
   * Hosts that commands may reach, each through a proxy, as `sandbox.network.allow` lists them. Commands then need the owner's decision, and what they print is
   * text of others. Absent: no network.
   */
  readonly network?: readonly string[];
  /** The owner has chosen that commands run on the host all the same, in the same workspace. File tools stay as they are in the sandbox. */
  readonly elevated?: true;
}
/** Facts about the calling run, for tools. Immutable. */
interface RunFacts {
  readonly runId: string;
  readonly kind: RunKind;
  /** The kind of the run that originally started it, if that is another one. */
  readonly cause?: RunKind;
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The working directory: absolute, symbolic links resolved. */
  readonly workspace: string;
  /** True if the sender of the message that caused the run is the owner. Authority comes from here, never from arguments. */
  readonly owner: boolean;
  /** Set if the run is sandboxed: its commands run in a sandbox unless it is `elevated`. Absent: on the host. */
  readonly sandbox?: RunSandbox;
  /** IANA name of the user's time zone. */
  readonly timeZone: string;
}
/** The run that calls a tool. */
interface ToolCaller {
  readonly run: RunFacts;
  /** The model had been given text of others than the owner when it made the call (R23). */
  readonly tainted: boolean;
}
/** The sandbox in which the commands of a run are; `undefined`: they are on the host. */
declare function commandSandbox({ sandbox }: {
  readonly sandbox?: RunSandbox | undefined;
}): RunSandbox | undefined;
/** Bounds of a run. The time limit is not among them: it is the deadline of the run's signal. */
interface RunLimits {
  /** Maximum model requests in one run. */
  readonly maxTurns: number;
  /** Maximum tool calls in one run; 100 by default. */
  readonly maxToolCalls: number;
  /** Maximum concurrent tools, if all calls of a message are marked parallel. */
  readonly maxParallelTools: number;
}
/**
 * Tokens of one model call.
 *
 * `input` never includes cached tokens (they are subtracted from OpenAI's figure), and `total = input + output + cacheRead + cacheWrite`. The size of the
 * context after a call is `input + cacheRead + cacheWrite` of that call.
 */
interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  /** US dollars, if the model's price is known. */
  readonly costUsd?: number;
}
/** Usage of a call without an answer. */
declare const NO_USAGE: Usage;
/** Usage of several calls. The sums are the spend; the `last*` fields are the context size. They are never mixed: a context size is not a sum of calls. */
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
/** The totals of two consecutive runs; the context size is the later one's. */
declare function joinUsage(earlier: UsageTotals, later: UsageTotals): UsageTotals;
/** The parts of a user's message that are kept when an older turn is re-rendered. */
interface UserMessageParts {
  /** The text as the person wrote it, before any prefix. */
  readonly body: string;
  /** `task`: the host's own text, shown verbatim; `media-only`: attachments without text; absent: text of a person. */
  readonly bodyType?: "task" | "media-only";
  /** Absent for unattended runs. */
  readonly sender?: {
    readonly id: string;
    readonly name?: string;
    readonly owner: boolean;
  };
  /** The kind of run; absent for `user`. For re-rendering and for readers of the conversation; never sent to a model from here. */
  readonly run?: RunKind;
  /**
   * Of a heartbeat: how many characters besides its token an answer may have that reports nothing, as it was configured when the heartbeat began. Absent: 300.
   */
  readonly ackMaxChars?: number;
  /** True for a message that joined a turn of another message: steered into its run, or gathered with it. It begins no turn of its own. */
  readonly joined?: true;
  /** Lines that begin with `System:`, without their delimiter. */
  readonly systemEvents: readonly string[];
  /** Where the message came from, for readers of the conversation; never sent to a model. */
  readonly source?: {
    readonly channel: string;
    readonly eventId: string;
    /** The event of the failed message that this one repeats. The model gets its text once, here. */
    readonly retryOf?: string;
  };
  /** Attachments that the gateway keeps, for readers of the conversation; never sent to a model from here. */
  readonly files?: readonly KeptFile[];
}
/** An attachment in the gateway's media store. */
interface KeptFile {
  readonly id: string;
  readonly kind: "image" | "audio" | "video" | "file";
  /** The name that it came with. */
  readonly name?: string;
}
/** One user turn, exactly as it was or will be sent: history replays `content` byte for byte. */
interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextContent | ImageContent)[];
  readonly parts?: UserMessageParts;
  /** True if the content includes text or files of others than the owner (R23). */
  readonly tainted?: boolean;
  /** Wall clock, milliseconds since the epoch. */
  readonly timestamp: number;
}
/** Why a model stopped. `aborted` and `error` mark a message that is intentionally incomplete. */
type StopReason = "stop" | "length" | "toolUse" | "aborted" | "error";
/** One answer of a model. */
interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[];
  /** The wire format of the request, such as `anthropic-messages`. */
  readonly api: string;
  /** The id of the provider in the configuration. */
  readonly provider: string;
  readonly model: string;
  readonly usage: Usage;
  readonly stopReason: StopReason;
  /** For `error` and `aborted`: what happened, for people. Contains no prompt and no secret. */
  readonly errorMessage?: string;
  readonly timestamp: number;
}
/** The one result of one tool call. */
interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly toolName: string;
  /** For the model. */
  readonly content: readonly (TextContent | ImageContent)[];
  /** For programs. JSON only, so that it can be stored. */
  readonly details?: JsonValue;
  readonly isError: boolean;
  /** True if the tool's output is untrusted (R23). */
  readonly tainted?: boolean;
  /** True for what an external agent says about a call that is `external`. */
  readonly external?: true;
  readonly timestamp: number;
}
/** Replaces everything before the first kept entry after a compaction. */
interface CompactionMessage {
  readonly role: "compaction";
  readonly summary: string;
  /** Id of the first transcript entry that is still sent unchanged. */
  readonly firstKeptEntryId: string;
  /** Size of the context before the compaction, in tokens. */
  readonly tokensBefore: number;
  /** True if text of others is in the summary (R23). */
  readonly tainted?: boolean;
  /** With `tainted`: the newest transcript entry with text of others in the summary; absent if unknown. */
  readonly taintedThrough?: string;
  readonly timestamp: number;
}
/** A provider-neutral message of a conversation. */
type AgentMessage = UserMessage | AssistantMessage | ToolResultMessage;
/** Side effects of a tool; policies, approvals, retries after a crash and taint depend on them. */
interface ToolTraits {
  /** `schedule`: it makes what runs later with the authority of this run. `delegate`: it starts or steers a run with at most the authority and with the taint of this one. */
  readonly effect: "read" | "write" | "execute" | "send" | "config" | "schedule" | "delegate";
  /** Running it twice with the same arguments leaves the same state. */
  readonly idempotent: boolean;
  /** `untrusted` if the result may contain text of others (web, mail, media); taints the turn (R23). */
  readonly output: "trusted" | "untrusted";
  readonly network: boolean;
  /** Its requests go to services that the owner has configured alone, at no address of the call, as those of the conversation's model do (R23). */
  readonly ownServices?: true;
  /** Its effect is what the commands do that it passes to the `CommandRunner`, which puts those of sandboxed runs into the sandbox. */
  readonly sandboxed?: true;
  /** What it sends goes to another session, which decides who may send to it: as a send elsewhere it counts for the owner's runs alone. */
  readonly toSessions?: true;
  /** May run concurrently with other calls of the same message. */
  readonly parallel: boolean;
  /** Its calls occupy no place among concurrent tools: they only wait for, or control, work that has one. */
  readonly holdsNoPlace?: true;
}
/** A complete tool call. The arguments are parsed JSON, not yet validated by the tool's own schema. */
interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}
/** Options of a tool call. */
interface ToolOptions extends ToolCaller {
  readonly signal: AbortSignal;
  /** Reports output while the tool runs. For watchers; the model never sees it. Never throws. */
  readonly onDelta: (text: string) => void;
}
/** The result of a tool: `content` for the model, `details` for programs. */
interface AgentToolResult {
  readonly content: readonly (TextContent | ImageContent)[];
  readonly details?: JsonValue;
  readonly isError?: boolean;
  /**
   * True if this result contains text of others although the tool's trait says `trusted`: a file of the media store (R23). False on a failure whose text is the
   * tool's own although the trait says `untrusted`: nothing was requested. Without `isError`, false counts as absent.
   */
  readonly untrusted?: boolean;
  /** The turn ends with this result: later calls are skipped, and the model is not asked again. Without effect on a failure. */
  readonly endsTurn?: boolean;
}
/** What the messages of a session can be, for tools whose schema depends on it. */
interface MessagingFeatures {
  /** The actions of the `message` tool that work in the conversation, or in one that can be addressed. */
  readonly actions: readonly string[];
  /** Messages can go to other conversations. */
  readonly elsewhere: boolean;
  readonly ephemeral: boolean;
  readonly silent: boolean;
  readonly threads: boolean;
}
/** A tool's name, description and schema, for a model request. */
interface ToolSchema {
  /** `[A-Za-z0-9_-]`, at most 64 characters, unique in a request. */
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
/** What a call would do, for the owner who decides on it (R21). */
type InspectedCall = {
  readonly type: "action";
  /** The whole action as the owner reads it, such as the command line. */
  readonly text: string;
  /** Everything that decides what the call does. A decision counts for calls with an equal binding alone. */
  readonly binding: JsonValue;
  /** The words of a command that runs without a shell; absent if it needs one. */
  readonly argv?: readonly string[];
  /** Those of its words that name the gateway's own files, or a folder around them. */
  readonly reservedWords?: readonly string[];
  /** What it does is known only when it runs, so that a decision cannot hold for later calls. */
  readonly onceOnly?: true;
} | {
  readonly type: "invalid";
  readonly message: string;
};
/** A tool that an agent can call. */
interface AgentTool extends ToolSchema {
  /** One line for the Tooling section of the prompt. */
  readonly summary: string;
  /** Of the call that does the most. */
  readonly traits: ToolTraits;
  /** The traits of one call, for a tool whose calls differ; policy and approvals decide by them. Never more than `traits` allow. */
  traitsFor?(call: ToolCall): ToolTraits;
  /** The description and schema for a session with these features; absent if they do not depend on them. `execute` accepts calls of the whole schema. */
  narrow?(features: MessagingFeatures): Pick<ToolSchema, "description" | "parameters">;
  /** What the call would do right now, without doing it. Absent if the name and the arguments say it all. */
  inspect?(call: ToolCall, run: RunFacts): Promise<InspectedCall>;
  /** Names a file that the call would change and later turns follow as instructions (R23); `undefined` without one. Absent: it never changes one. */
  changedInstructions?(call: ToolCall, run: RunFacts): Promise<string | undefined>;
  /**
   * Runs the call. Invalid arguments and failures that the model can act on are results with `isError`; the loop turns a rejection into such a result. After an
   * abort it settles soon; its result is ignored then.
   */
  execute(call: ToolCall, options: ToolOptions): Promise<AgentToolResult>;
}
/** What became of a prompt that was asked for. `untrusted`: the text may be that of others (R23). */
type FilledPrompt = {
  readonly type: "filled";
  readonly text: string;
  readonly untrusted: boolean;
} | {
  readonly type: "failed";
  readonly text: string;
  readonly untrusted: boolean;
};
/** A message that a source has ready for people: a slash command of the owner. */
interface SourcePrompt {
  /** Without the slash: `[A-Za-z0-9_-]`, at most 64 characters. The policy of tools decides on it as on a tool of this name. */
  readonly name: string;
  /** One line for people; it may be text of others. */
  readonly summary: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly isRequired: boolean;
  }[];
  /** Asks the source for the message. Never rejects. */
  fill(given: Readonly<Record<string, string>>, options: {
    readonly run: RunFacts;
    readonly signal: AbortSignal;
  }): Promise<FilledPrompt>;
}
/** A slash command that a source answers without a model, for the owner. */
interface SourceCommand {
  /** Without the slash: `[A-Za-z0-9_-]`, at most 64 characters. */
  readonly name: string;
  /** One line for people; it may be text of others. */
  readonly summary: string;
  /** Its answers may be text of others (R23). */
  readonly untrusted: boolean;
  /** Resolves with the answer for the sender, or with why it has none. `words`: what follows the name. Rejects with the signal's reason once that has fired. */
  run(words: string, options: Pick<RunFacts, "agentId" | "sessionKey"> & {
    readonly signal: AbortSignal;
  }): Promise<string>;
}
/** Provides tools: the product itself, a plugin, a server. Every tool that a model can call comes from a source. */
interface ToolSource {
  /** `core` for the product's own. Unique among the sources of a gateway. */
  readonly id: string;
  /** On a name conflict the earlier source wins. A source that changes provides another list, and leaves the earlier one as it is. */
  readonly tools: readonly AgentTool[];
  /** What the names of all its tools begin with, so that a source is not prepared for an agent that may use none of them. Absent: anything. */
  readonly namePrefix?: string;
  /** Absent: none. */
  readonly prompts?: readonly SourcePrompt[];
  /** Absent: none. Of two with one name the earlier source's counts. */
  readonly commands?: readonly SourceCommand[];
  /** Why it cannot be used now, in a few words for the owner; it may hold text of others. Absent: nothing is wrong. */
  readonly problem?: string | undefined;
  /** Called before the tools of a session are fixed: resolves when `tools` is known, or soon if it cannot be. Never rejects. */
  prepare?(options: Pick<RunFacts, "agentId" | "workspace" | "sandbox"> & {
    readonly signal: AbortSignal;
  }): Promise<void>;
}
/** A file for a sub-agent. */
interface SpawnAttachment {
  /** A file name: letters, digits, `.`, `_` and `-`. Names of one task differ, also without regard to case. */
  readonly name: string;
  readonly data: Uint8Array;
}
/** A task for a sub-agent, as a model hands it out. */
interface SpawnRequest {
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
type SpawnOutcome = {
  readonly type: "accepted";
  readonly runId: string;
  readonly sessionKey: string;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** `idle`: it has reported its result, and stays open for messages. */
type SubagentState = "queued" | "running" | "idle" | "done" | "failed" | "timeout" | "killed" | "lost";
/** A sub-agent as its parent sees it. */
interface SubagentView {
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
type SubagentChange = {
  readonly type: "done";
  readonly views: readonly SubagentView[];
} | {
  readonly type: "refused";
  readonly message: string;
};
/** The newest messages of a sub-agent. */
type SubagentLog = {
  readonly type: "log";
  readonly view: SubagentView;
  readonly text: string;
  readonly untrusted: boolean;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** Sub-agents, for the tools of their parents. A run sees those that its session has started, and no others. */
interface Subagents {
  /** Starts one once the result of the call is stored, and with it. Its own result comes as a message. */
  spawn(request: SpawnRequest, caller: ToolCaller & {
    readonly callId: string;
  }): Promise<SpawnOutcome>;
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
/** Kind of a session, for filters. */
type AgentSessionKind = "main" | "group" | "cron" | "hook" | "node" | "other";
/** Names one session: by its key or a unique beginning of its id; by its label, which `agentId` may make unique; or the main session of `agentId`. */
interface SessionReference {
  readonly sessionKey?: string | undefined;
  readonly label?: string | undefined;
  readonly agentId?: string | undefined;
}
/** Which sessions are listed. */
interface SessionFilter {
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
interface SessionMessage {
  readonly atMs: number;
  readonly from: "user" | "assistant" | "tool-call" | "tool-result";
  /** Name of the person or of the tool, if it is known. */
  readonly name?: string;
  readonly text: string;
  /** May hold text of others than the owner (R23). */
  readonly untrusted: boolean;
}
/** One session that the caller may see. */
interface ListedSession {
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
interface SessionList {
  readonly sessions: readonly ListedSession[];
  /** There are more. */
  readonly isCut: boolean;
}
/** A page of the messages of a session, oldest first. */
interface SessionHistoryPage {
  readonly key: string;
  readonly messages: readonly SessionMessage[];
  /** Leads to older messages; absent on the last page. */
  readonly cursor?: string;
  /** Something in it may be text of others (R23). */
  readonly untrusted: boolean;
}
/** An agent that the caller's agent may reach: its sessions, or to start it as a sub-agent. */
interface ReachableAgent {
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
type SessionSendOutcome = {
  readonly type: "ok";
  readonly sessionKey: string;
  readonly reply?: string;
  readonly untrusted: boolean;
} | {
  readonly type: "accepted";
  readonly sessionKey: string;
  readonly note?: string;
} | {
  readonly type: "timeout";
  readonly sessionKey: string;
} | {
  readonly type: "not-found";
} | {
  readonly type: "forbidden";
  readonly message: string;
} | {
  readonly type: "error";
  readonly code: "cycle" | "too-many-hops" | "too-many" | "failed";
  readonly message: string;
};
/**
 * The sessions, for the tools of agents. A session that the caller may not see is answered like one that does not exist. Implemented by the gateway.
 */
interface AgentSessions {
  list(filter: SessionFilter, caller: ToolCaller): Promise<SessionList>;
  /** `undefined`: there is no such session, or more than one. Rejects for a cursor of another list. */
  history(session: SessionReference, page: {
    readonly limit: number;
    readonly cursor?: string | undefined;
    readonly includeTools: boolean;
  }, caller: ToolCaller): Promise<SessionHistoryPage | undefined>;
  /**
   * Sends a message, which starts a turn of the other session with at most the authority of the caller, and its taint. Waits for the reply for up to
   * `timeoutMs`; 0: not at all.
   */
  send(session: SessionReference, options: {
    readonly message: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }, caller: ToolCaller): Promise<SessionSendOutcome>;
  /** Why no message can be sent to a session, before anyone is asked about it; `undefined` if one can. */
  sendProblem(session: SessionReference, caller: ToolCaller): Promise<Extract<SessionSendOutcome, {
    readonly type: "not-found" | "error";
  }> | undefined>;
  agents(caller: ToolCaller): Promise<readonly ReachableAgent[]>;
}
/** The files of the project that an editor has open, unsaved changes included. Implemented by the gateway, used by `tools`. */
interface EditorFiles {
  /** True if the editor of the run's session offers files. Cheap: it is asked for every file. */
  offersFiles(run: RunFacts): boolean;
  /**
   * The text of a file as the editor of the run's session shows it; `undefined` if there is no such editor, or if it does not answer: then the disk counts.
   * `path` is real. Never rejects.
   */
  read(path: string, run: RunFacts): Promise<string | undefined>;
  /**
   * Has the editor write a file. `none`: there is no editor that does; `refused`: it has not written it. Rejects with a message for the model if it may or may
   * not have written it.
   */
  write(path: string, text: string, run: RunFacts): Promise<EditorWrite>;
}
/** What became of a write. */
type EditorWrite = {
  readonly type: "written";
} | {
  readonly type: "none";
} | {
  readonly type: "refused";
  readonly reason: string;
};
/** A command for a terminal of an editor. */
interface EditorCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Added to the variables of the editor. */
  readonly env: Readonly<Record<string, string>>;
  /** Output that the editor keeps; it drops the oldest. */
  readonly maxOutputBytes: number;
}
/** A command in a terminal of an editor. Call `release` in the end. */
interface EditorTerminal {
  /** Resolves with its end. Rejects if the editor is gone. */
  readonly ended: Promise<{
    readonly exitCode?: number;
    readonly signal?: string;
  }>;
  /** The newest output. `isCut`: its beginning is dropped. Rejects if the editor does not answer. */
  output(): Promise<{
    readonly text: string;
    readonly isCut: boolean;
  }>;
  /** Ends the command. Rejects if the editor does not answer. */
  kill(): Promise<void>;
  /** Ends the command, if it still runs, and frees the terminal. Never rejects. */
  release(): Promise<void>;
}
/** What became of a start. `none`: the editor was gone before it was asked; `refused`: the editor has not started it. */
type EditorStart = {
  readonly type: "started";
  readonly terminal: EditorTerminal;
} | {
  readonly type: "none";
} | {
  readonly type: "refused";
  readonly reason: string;
};
/** The terminals of editors. Implemented by the gateway, used by `sandbox`. */
interface EditorTerminals {
  /** True if the editor of the run's session offers terminals. */
  offers(run: RunFacts): boolean;
  /** Starts a command. Rejects with a message for the model if it may or may not have started. */
  start(command: EditorCommand, run: RunFacts): Promise<EditorStart>;
}
/** A file that a media model has made. Its bytes were checked: the type is theirs. */
interface MadeFile {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Without a dot; letters and digits. */
  readonly extension: string;
}
/** The images that a tool asks for. */
interface ImageOrder {
  /** What they show, or how `inputs` are to be changed. */
  readonly prompt: string;
  /** How many, at least 1. */
  readonly count: number;
  /** `WIDTHxHEIGHT` in pixels or an aspect such as `3:2`; the provider's own by default. The nearest that the model can make. */
  readonly size?: string;
  /** Images to change or to combine; empty for new ones. */
  readonly inputs: readonly Uint8Array[];
}
/** What a request for media came to; `message` is for the calling model: what failed, and what to do. */
type MediaOutcome<Result> = {
  readonly type: "done";
  readonly result: Result;
} | {
  readonly type: "failed";
  readonly message: string;
};
/** Options of a request for media, which is charged to the run. */
interface MediaCallOptions {
  readonly run: RunFacts;
  readonly signal: AbortSignal;
}
/** The models for media that the owner has configured, for tools. Implemented by the gateway. Rejects only when the signal fires or the store fails. */
interface MediaModels {
  /** What a model that sees images answers to a question about them. Text of others, because words in an image can be anybody's. */
  lookAt(images: readonly Uint8Array[], question: string, options: MediaCallOptions): Promise<MediaOutcome<string>>;
  /** New or changed images, at least one. `problem` says why there are fewer than ordered. */
  makeImages(order: ImageOrder, options: MediaCallOptions): Promise<MediaOutcome<{
    readonly files: readonly MadeFile[];
    readonly problem?: string;
  }>>;
  /** A recording of a text. `voice` is the provider's name of one; the configured one by default. */
  speak(text: string, options: MediaCallOptions & {
    readonly voice?: string;
  }): Promise<MediaOutcome<MadeFile>>;
}
/** What a server wants written. */
interface SamplingRequest {
  /** The server's own; empty for none. */
  readonly systemPrompt: string;
  /** At least one; the first and the last are the user's. */
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly text: string;
  }[];
  /** Tokens. */
  readonly maxOutputTokens: number;
}
/** What came of it. */
type SamplingOutcome = {
  readonly type: "written";
  readonly text: string;
  readonly model: string;
  readonly isCut: boolean;
} | {
  readonly type: "failed";
  readonly message: string;
};
/** Has models write for servers of tools. Implemented by the gateway. */
interface ModelSampler {
  /** Asks the model of the run's conversation, without its history and without tools; charged to the run. Rejects when the signal fires. */
  sample(request: SamplingRequest, options: {
    readonly run: RunFacts;
    readonly signal: AbortSignal;
  }): Promise<SamplingOutcome>;
}
/** When the same request may be retried. Decided once, where the failure is detected. */
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
 * - `invalid-request`: the provider will never accept this request.
 * - `not-found`: no such model or endpoint.
 * - `refused`: the model declined to answer.
 * - `filtered`: the provider's content filter stopped the request or the answer.
 * - `timeout`: one of the three limits (connect, first event, between events) expired.
 * - `unreachable`: no connection, or it broke before an answer.
 * - `truncated`: the answer broke off, or what came was no valid answer.
 * - `output-limit`: the answer was longer than one answer may be, and was stopped there.
 * - `server`: the provider failed.
 * - `budget`: not sent, because the cause of the call has used up its budget, or is paused after failures.
 * - `denied`: not sent, because a rule of the owner's does not allow it.
 * - `aborted`: the gateway's own signal.
 */
type ModelErrorCode = "unauthorized" | "billing" | "rate-limited" | "overloaded" | "context-overflow" | "invalid-request" | "not-found" | "refused" | "filtered" | "timeout" | "unreachable" | "truncated" | "output-limit" | "server" | "budget" | "denied" | "aborted";
/** Why a model request failed. The message is for people and contains no prompt and no secret. */
declare class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retry: Retry;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  constructor(code: ModelErrorCode, message: string, options: ErrorOptions & {
    readonly retry: Retry;
    readonly status?: number;
  });
  /** True for every ModelError, including those of another copy of this package. */
  static isInstance(value: unknown): value is ModelError;
}
/**
 * Part 1 of a request. The cache boundary is between the halves: adapters turn it into cache marks, it is never text. The stable half is identical for all
 * sessions of an agent; the session half is fixed for one session.
 */
interface SystemPrompt {
  readonly stable: string;
  readonly session: string;
}
/** How long a provider should keep the request's prefix: not at all, its default (about 5 minutes), or about an hour. */
type CacheRetention = "none" | "short" | "long";
/** One request to one model. Its client is bound to provider, model and credential. */
interface ModelRequest {
  readonly system: SystemPrompt;
  /** Valid: each call is followed by its one result, and the first message is the user's. */
  readonly messages: readonly AgentMessage[];
  /** Sorted like the Tooling section; empty for a text-only run. */
  readonly tools: readonly ToolSchema[];
  /** Tokens; the model's own limit if omitted. */
  readonly maxOutputTokens?: number;
  readonly thinking?: ThinkingLevel;
  /** Request readable thinking for people, even if no level is set. No effect for a level of `off`. */
  readonly showThoughts?: boolean;
  /** A stable key of the conversation, for providers that route by one. Never contains a platform id. */
  readonly cacheKey?: string;
  /** `short` if omitted. */
  readonly cacheRetention?: CacheRetention;
}
/**
 * Events of a model client. Exactly one `message-end` or `message-failed` is emitted, as the last event. A further `message-start` withdraws everything since
 * the previous one: that attempt broke off before any text. `index` counts the blocks of the message in the order in which they started.
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
  readonly type: "external-call";
  readonly call: ToolCall;
} | {
  readonly type: "external-call-delta";
  readonly id: string;
  readonly text: string;
} | {
  readonly type: "message-end";
  readonly message: AssistantMessage;
  readonly results?: readonly ToolResultMessage[];
} | {
  readonly type: "message-failed";
  readonly error: ModelError;
  readonly partial?: AssistantMessage;
};
/** Sends requests to one model. */
interface ModelClient {
  readonly info: ModelInfo;
  /**
   * Sends one request and yields the response. Never throws: every failure, including an abort, ends the stream with `message-failed`. Leaving the loop early
   * closes the connection. A client that retries never yields a text twice.
   */
  stream(request: ModelRequest, options: {
    readonly signal: AbortSignal;
  }): AsyncIterable<ModelEvent>;
}
/** US dollars per million tokens. */
interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** A cache write that is kept for an hour (`long` retention). */
  readonly cacheWriteLong?: number;
  /** Prices of the whole request if its prompt, including cached tokens, has more than `aboveTokens`. */
  readonly longContext?: Omit<ModelCost, "longContext"> & {
    readonly aboveTokens: number;
  };
}
/** How long a provider keeps a prefix after its last use, by requested retention. `null`: it does not expire. */
interface CacheLifetime {
  readonly shortMs: number | null;
  readonly longMs: number | null;
}
/** Facts about a model. */
interface ModelInfo {
  /** Id of the provider in the configuration. */
  readonly provider: string;
  /** The provider's own name for the model. */
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
  /** The thinking levels that the provider accepts for this model. Absent: those of its wire format. */
  readonly thinkingLevels?: readonly ThinkingLevel[];
  readonly cost?: ModelCost;
  /** Absent: undocumented; 5 minutes are assumed, and an hour for long retention. */
  readonly cacheLifetime?: CacheLifetime;
  /** False if the values are safe defaults, because neither the catalogue nor the configuration has the model. */
  readonly known: boolean;
}
/** The wire formats, and `demo` for what has none: the built-in model, and external agents. */
type ModelApi = "anthropic-messages" | "openai-responses" | "openai-chat" | "google-generative-ai" | "mistral" | "demo";
/** Every wire format. */
declare const MODEL_APIS: readonly ModelApi[];
/** The provider in references of external agents: `acp/<id>`. */
declare const EXTERNAL_PROVIDER = "acp";
/** The conversation that an external agent is given, and what is known of it from before. */
interface ExternalConversation {
  /** A run of the conversation; the agent works in its folder. */
  readonly run: RunFacts;
  /** The agent's own id of the conversation, as `remember` got it; absent: it was never prompted here. */
  readonly known?: string;
  /** The run began in a process that is gone, so that its prompt may have reached the agent. */
  readonly isResumed: boolean;
  /** Stores the agent's own id. Awaited before the first prompt. */
  readonly remember: (id: string) => Promise<void>;
}
/** An external agent that runs. */
interface ExternalAgentView {
  readonly agent: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly state: "starting" | "working" | "idle";
  /** It can continue the conversation after a restart. */
  readonly canLoad: boolean;
}
/** Agents of others, each process with one conversation. Implemented by `acp-client`, used by the gateway. */
interface ExternalAgents {
  /** Ids of the configured agents. */
  ids(): readonly string[];
  /** Why an agent cannot be started, such as a program that is missing; `undefined`: no problem is known. Looks at the disk. */
  problemOf(id: string): string | undefined;
  /**
   * The agent as the model of one conversation: what is new in a request since its last answer is the prompt. The agent's own requests for files, commands and
   * decisions are tool calls of its answers (`read`, `write`, `exec`, `process`, and `EXTERNAL_PERMISSION`), whose results it gets as answers. What it does with
   * its own tools, and its plans, are calls that are `external`: `EXTERNAL_CALL` and `update_plan`.
   */
  client(id: string, conversation: ExternalConversation): ModelClient;
  /** The agents that run, the one that was used last at the end. */
  list(): readonly ExternalAgentView[];
  /** Ends the agents of a session. Resolves when nothing of them runs; no-op without one. */
  close(sessionKey: string): Promise<void>;
}
/** The tool by which an external agent asks for a decision about something that it does itself. Its arguments: `agent`, `title` and `action`. */
declare const EXTERNAL_PERMISSION = "agent_permission";
/**
 * The name of what an external agent does with a tool of its own. Its arguments: `title`, `agent`, and what the agent says of `kind`, `locations`
 * (`[{path, line}]`) and `edits` (`[{path, oldText, newText}]`).
 */
declare const EXTERNAL_CALL = "agent_call";
/** An external agent as a model. It compacts its conversation itself, so its window is nominal; its tokens are those that it reports. */
declare function externalModelInfo(id: string): ModelInfo;
/** How a run ended. */
type RunOutcome = {
  readonly type: "done";
  readonly message: AssistantMessage;
  readonly clientCalls?: readonly ToolCall[];
  readonly yielded?: true;
} | {
  readonly type: "aborted";
  readonly reason: string;
} | {
  readonly type: "failed";
  readonly code: RunFailureCode;
  /** For the owner: names providers, models and settings. Contains no prompt and no secret. */
  readonly message: string;
  /** When the model can be asked again, if its provider says so. */
  readonly retryAfterMs?: number;
};
/**
 * Why a run failed: a model error's code, one of the run's own limits, or an invalid answer.
 * - `empty`: the model answered without text, twice.
 * - `output-limit`: the answer was stopped at its limit, or the model reached its output limit before there was an answer or a complete tool call.
 * - `malformed-calls`: it kept writing tool calls that cannot be parsed.
 */
type RunFailureCode = ModelErrorCode | "loop" | "max-turns" | "max-tool-calls" | "empty" | "malformed-calls" | "internal";
/**
 * Events of an agent run. Every run begins with `run-start` and ends with one `run-end`.
 *
 * The stream is pull-based: the loop continues only when the consumer asks for the next event. A consumer that commits `message-end` and `tool-start` before it
 * asks again has them on disk before any tool runs, and every `tool-end` before the next model request. A turn in which the model produced nothing has no
 * `message-end` and no `turn-end`: the run ends there.
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
/** Events of a model stream that are shown as they arrive; the last two become events of the run. */
type ModelStreamEvent = Exclude<ModelEvent, {
  readonly type: "message-end" | "message-failed";
}>;
/** Provides the loop with messages that arrive while it is busy. */
interface SteeringQueue {
  /** Takes all waiting messages, oldest first. Called after every tool call and before every model request. */
  take(): Promise<readonly UserMessage[]>;
}
/** The time, injected. */
interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Monotonic milliseconds, for deadlines. */
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
  /** A log that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}
/** A command: a shell line, or a program with its arguments. It alone says what runs. */
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
  /** Added to the runner's own minimal environment, which never contains the gateway's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * `none`: standard input is empty. `pipe`: it stays open for `RunningCommand.write`. `terminal`: the same, and the command has a terminal of this size, in
   * characters. Default `none`.
   */
  readonly input?: {
    readonly type: "none" | "pipe";
  } | {
    readonly type: "terminal";
    readonly columns: number;
    readonly rows: number;
  };
  /** Milliseconds until the process group is killed; 0: no limit. */
  readonly timeoutMs: number;
  /** Maximum bytes of the result's output: the beginning and the end; the middle is counted and dropped. */
  readonly maxOutputBytes: number;
  /** The model had been given text of others when it asked for the command (R23). A sandbox then shows the agent's own workspace read-only. */
  readonly tainted?: boolean;
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
  /** Standard output and standard error in the order of arrival, UTF-8, with a mark where output was dropped. */
  readonly output: string;
  /** Total bytes that the command wrote. */
  readonly outputBytes: number;
  readonly durationMs: number;
  /** Why requests of the command were refused by the proxy of its sandbox: each reason once, at most 20. Absent: none was. */
  readonly refusedRequests?: readonly string[];
}
/** Options of a command that are not part of what runs. */
interface CommandOptions {
  /** Ends the command. */
  readonly signal: AbortSignal;
  readonly run: RunFacts;
  /** Called with the start of the output as it arrives, up to `maxOutputBytes`. */
  readonly onOutput: (text: string) => void;
}
/** A part of a command's output. Offsets count bytes of the whole output in UTF-8, also of what is no longer kept. */
interface OutputPart {
  readonly text: string;
  /** Offset of the text: later than requested if the requested part is not kept any more. */
  readonly offset: number;
  /** Offset after the text. */
  readonly next: number;
}
/** The newest output of a command, in bounded memory. */
interface CommandOutput {
  /** Bytes of the whole output so far. */
  readonly length: number;
  /** At most `maxBytes` from `offset` on, in whole characters. */
  read(offset: number, maxBytes: number): OutputPart;
  /** Resolves with true once the output is longer than `length`, with false when the command has ended or the signal fires. */
  changed(length: number, options: {
    readonly signal: AbortSignal;
  }): Promise<boolean>;
}
/** `closed`: the request opened no input, or the command or `closeInput` has closed it. `full`: the command does not read what was written before. */
type InputOutcome = "written" | "closed" | "full";
/** A command that was started. */
interface RunningCommand {
  /** Resolves once no process of the command is left. Never rejects. */
  readonly ended: Promise<CommandResult>;
  readonly output: CommandOutput;
  /** Writes to standard input; does not wait until the command has read it. */
  write(text: string): InputOutcome;
  /** Ends standard input; on a terminal it types Ctrl-D. */
  closeInput(): InputOutcome;
  /** Ends the whole process group: TERM, a grace period, KILL. Idempotent; `ended` says when it is done. */
  kill(): void;
}
/** Runs commands: on the host, or in a sandbox. Implemented by `sandbox`, used by `tools`. */
interface CommandRunner {
  /** Starts a command. Never rejects: a command that could not start has ended. */
  start(request: CommandRequest, options: CommandOptions): Promise<RunningCommand>;
  /** Runs one command to its end: `start`, then `ended`. Never rejects. */
  run(request: CommandRequest, options: CommandOptions): Promise<CommandResult>;
}
/** A command that runs, or ran, in the background of a session. */
interface BackgroundCommand {
  /** Unique; short enough for a model to repeat. */
  readonly id: string;
  /** The shell line. */
  readonly text: string;
  readonly hasTerminal: boolean;
  /** The sandbox that it runs in; absent: on the host. */
  readonly sandbox?: RunSandbox;
  /** The model had been given text of others when it started the command (R23). */
  readonly tainted: boolean;
  /** Monotonic. */
  readonly startedMs: number;
  readonly running: RunningCommand;
  /** Present once it has ended. */
  readonly result?: CommandResult;
  /** Offset of the first output that was not taken yet. */
  readonly takenTo: number;
  /** The newest output that was not taken yet, at most `maxBytes`; older output is skipped. Counts as taken. */
  takeOutput(maxBytes: number): OutputPart;
}
/** The background commands of sessions. Implemented by the gateway, used by `tools`. */
interface BackgroundCommands {
  /**
   * Keeps a command beyond its tool call. From then on it belongs to the run's session: its end is reported there once, also after a crash. Rejects if that
   * cannot be stored; then the caller ends the command.
   */
  keep(command: Pick<BackgroundCommand, "text" | "hasTerminal" | "running">, caller: ToolCaller): Promise<BackgroundCommand>;
  /** The commands of the session's conversation, oldest first: all that run, and the last that have ended. A reset ends them all. */
  list(run: RunFacts): readonly BackgroundCommand[];
  /** The model is told how a command has ended: its end is not reported again. */
  told(id: string, run: RunFacts): void;
}
/** A file that a tool is about to create or replace. */
interface FileWrite {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** The complete new content. */
  readonly content: string;
  readonly run: RunFacts;
  /** The model had been given text of others than the owner when it requested this write (R23). */
  readonly tainted: boolean;
  /** The whole content was given, whatever the file holds by now. */
  readonly isBlind?: true;
}
/** Tracks which text in files came from tainted turns (R23). Implemented by `gateway`, used by `tools`. */
interface FileProvenance {
  /** Called before each write; what it records is durable before the file changes. The message of a refusal is for the model. Rejects if it cannot record. */
  beforeWrite(write: FileWrite): Promise<{
    readonly type: "allow";
  } | {
    readonly type: "refuse";
    readonly message: string;
  }>;
  /** The name of the file at this path if later turns follow it as instructions. `path` is absolute, symbolic links resolved. */
  instructionAt(path: string): Promise<string | undefined>;
  /** True if a file, or with `lines` these whole lines of it, contains text that a tainted turn wrote. `path` is absolute, symbolic links resolved. */
  isUntrusted(path: string, run: Pick<RunFacts, "agentId">, lines?: string): Promise<boolean>;
}
/** What a file was before a change: `too-large` for one of more than `FileCheckpoints.maxBytes`. */
type FileBefore = {
  readonly type: "absent";
} | {
  readonly type: "file";
  readonly content: Uint8Array;
  readonly mode: number;
} | {
  readonly type: "too-large";
  readonly sizeBytes: number;
};
/** A change of a file that a tool is about to make. */
interface FileChangePlan {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  readonly before: FileBefore;
  /** The complete new content; absent if the file will be removed. */
  readonly after?: string | Uint8Array;
}
/** Keeps what files held before a turn changed them. Implemented by `gateway`, used by `tools`. */
interface FileCheckpoints {
  /** The largest file that is kept; nothing is read of a larger one. */
  readonly maxBytes: number;
  /** Whether changes of a run are kept now. If not, nothing is read and `beforeChange` is not called. */
  keeps(run: RunFacts): boolean;
  /** Called before the changes of one tool call; what it keeps is durable before a file changes. Rejects if it cannot keep it: then nothing may change. */
  beforeChange(changes: readonly FileChangePlan[], run: RunFacts): Promise<void>;
}
/** The text of a file that a tool changes. */
interface CheckedFile {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** As shown to the model. */
  readonly shown: string;
  readonly text: string;
}
/** A check of one change of files. Disposing ends it without a result, if the change was not made. */
interface ChangeCheck extends Disposable {
  /**
   * Called once after the change, with the files as they are now. Resolves within 5 seconds with the errors that the change has introduced, for the model;
   * `undefined` without any, and if they are not known for these texts by then. Never rejects.
   */
  introduced(files: readonly CheckedFile[], options: {
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
}
/** Finds the errors that changes of files introduce. Implemented by `plugin-lsp`, used by `tools`. */
interface ChangeChecker {
  /** Whether a change of this file would be checked. Decides by the name. */
  covers(path: string, run: RunFacts): boolean;
  /** Begins before a change, with what the files hold then; a file that is not there yet is not among them. Waits for nothing, and never throws. */
  begin(files: readonly CheckedFile[], run: RunFacts): ChangeCheck;
}
/** A structured message. Where the platform has no cards it is sent as text. */
interface MessageCard {
  readonly title?: string;
  /** Markdown. */
  readonly body: string;
  readonly fields?: readonly {
    readonly label: string;
    readonly value: string;
  }[];
  /** Their values arrive with a press of a button. */
  readonly inputs?: readonly {
    readonly type: "text" | "choice";
    readonly id: string;
    readonly label: string;
    /** Of a choice. */
    readonly options?: readonly string[];
  }[];
  /** A press arrives as a message. `value` is the label by default. */
  readonly buttons?: readonly {
    readonly label: string;
    readonly value?: string;
    readonly style?: "default" | "primary" | "danger";
  }[];
}
/** One operation of the `message` tool. The `messageId` of `edit` and `delete` comes from an earlier result. */
type MessageOperation = {
  readonly type: "send";
  readonly text: string;
  readonly media?: string;
  readonly mentions?: readonly {
    readonly id: string;
    readonly name: string;
  }[];
} | {
  readonly type: "card";
  readonly card: MessageCard;
} | {
  readonly type: "poll";
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  readonly durationMs?: number;
} | {
  readonly type: "react";
  readonly messageId: string;
  readonly emoji: string;
  readonly removed: boolean;
} | {
  readonly type: "edit";
  readonly messageId: string;
  readonly text: string;
  readonly card?: MessageCard;
} | {
  readonly type: "delete";
  readonly messageId: string;
} | {
  readonly type: "act";
  readonly name: string;
  readonly parameters: JsonObject;
};
/** One call of the `message` tool. */
interface MessengerRequest {
  readonly callId: string;
  readonly operation: MessageOperation;
  /** Default: the run's own channel. */
  readonly channel?: string;
  /** An address or a name. Default: the run's own conversation. */
  readonly target?: string;
  readonly threadId?: string;
  /** The platform's id of the message that is replied to. */
  readonly replyTo?: string;
  readonly silent?: boolean;
  /** Shown to this person alone. */
  readonly onlyFor?: string;
}
/** The result of an operation of the `message` tool. */
type MessengerResult = {
  readonly type: "queued";
  readonly channel: string;
  readonly target: string;
  readonly messageId?: string;
} | {
  readonly type: "done";
  readonly value: JsonValue;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** Describes sessions for the tool `session_status`. Implemented by the gateway. */
interface SessionReporter {
  /** The current time, and what the run's session works with; a few lines for the model. */
  describe(run: RunFacts): Promise<string>;
}
/** A question to the user. Without options any answer is asked for; with options one of them, or other words. */
interface Question {
  readonly question: string;
  readonly options: readonly string[];
}
/** How questions ended. `answers`: those that were given, in the order of the questions. */
type QuestionOutcome = {
  readonly type: "answered";
  readonly answers: readonly string[];
  readonly untrusted: boolean;
} | {
  readonly type: "unanswered";
  readonly answers: readonly string[];
  readonly untrusted: boolean;
  readonly message: string;
};
/** Asks the user of a run, for the tool `ask_user` and for servers. Implemented by the gateway. */
interface Questioner {
  /**
   * Asks one question after the other, and waits for each answer; after a restart the same call goes on. `signal`: the answer is no longer wanted. Rejects when the
   * store does, or the gateway ends.
   */
  ask(questions: readonly Question[], options: {
    readonly callId: string;
    readonly run: RunFacts;
    readonly signal?: AbortSignal;
  }): Promise<QuestionOutcome>;
}
/** One step of a plan. */
interface PlanStep {
  readonly step: string;
  readonly status: "pending" | "in_progress" | "completed";
}
/** Shows the plans of runs to people, for the tool `update_plan`. Implemented by the gateway. */
interface PlanBoard {
  /** Shows a plan in place of the run's earlier one, where the chat can edit messages. Clients of the gateway read it from the call. Rejects when the store does. */
  show(steps: readonly PlanStep[], options: {
    readonly callId: string;
    readonly run: RunFacts;
  }): Promise<void>;
}
/** A change of the configuration file, made for one version of it. */
interface SettingsChange {
  /** The `hash` of the version. */
  readonly base: string;
  /** `merge`: `value` is a JSON merge patch of the whole file. `replace`: `value` becomes that of `key`, or the whole file without one. */
  readonly type: "merge" | "replace";
  readonly key?: string;
  readonly value: JsonValue;
}
/** What became of a request about settings; `message` is for the model: what is wrong, and what to do. */
type SettingsAnswer = {
  readonly type: "done";
  readonly text: string;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** The configuration of the gateway, for the tool `gateway`. Never shows or takes a secret in plain text. Implemented by the product. */
interface SettingsService {
  /** The schema of a key, or of the whole file. Rejects when the disk does, as the others do. */
  describe(key: string | undefined): Promise<SettingsAnswer>;
  /** The value of a key, or the whole file, with the hash of this version of the file. */
  read(key: string | undefined): Promise<SettingsAnswer>;
  /** What a change would do, as lines of differences, without doing it. */
  plan(change: SettingsChange): Promise<SettingsAnswer>;
  /** Writes a change, and has the gateway use it. */
  write(change: SettingsChange): Promise<SettingsAnswer>;
}
/** Restarts the gateway. Implemented by the gateway. */
interface Restarter {
  /** Restarts once the run is over and its answer stored. A second request of the run changes nothing. */
  restartAfter(run: RunFacts): void;
}
/** Sends messages for the `message` tool. Implemented by the gateway, which knows the run's address. */
interface Messenger {
  /** Never rejects. What goes through the outbox is sent once per `callId`. */
  perform(request: MessengerRequest, options: {
    readonly signal: AbortSignal;
    readonly run: RunFacts;
  }): Promise<MessengerResult>;
}
/**
 * Where a skill was found, highest precedence first: `<workspace>/skills`, `<workspace>/.agents/skills`, `~/.agents/skills`, the agent's own folder, the state
 * directory, the build, an additional folder.
 */
type SkillSource = "workspace" | "project" | "personal" | "agent" | "managed" | "bundled" | "extra";
/** One skill that can be used. */
interface SkillEntry {
  readonly name: string;
  readonly description: string;
  /** The path of SKILL.md that the model should pass to `read`: relative to the workspace (`./skills/…`) if it is inside, otherwise absolute. */
  readonly location: string;
  readonly version?: string;
  readonly source: SkillSource;
  /** Absolute folder of the skill, symbolic links resolved: readable by tools. */
  readonly folder: string;
  /** `people`: only by its slash command; `model`: only by the model. Absent: both. */
  readonly invocation?: "people" | "model";
  /** What follows its slash command, for help: `<city>`. */
  readonly argumentHint?: string;
  /** Tools that it cannot do without: in a session that lacks one it is not offered. Absent: none. */
  readonly tools?: readonly string[];
  /** Its key in `skills.entries`, if that is not its name. */
  readonly settingsKey?: string;
  /** The environment variable that its API key is given in. */
  readonly primaryEnv?: string;
}
/** A skill that was found and is not offered. */
interface LeftOutSkill {
  readonly name: string;
  /** For people: `needs the program gh`. */
  readonly reason: string;
}
/** A Markdown file of the workspace that is a slash command of the user. */
interface CommandFile {
  /** Without the slash: `[a-z0-9][a-z0-9_-]*`, at most 32 characters. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** Who may use it: the owner, unless the file says `access: anyone`. */
  readonly access: "owner" | "anyone";
  /** The message for the model, with placeholders for arguments. */
  readonly body: string;
}
/** The folders that a skill is looked for in. */
interface SkillPlace {
  /** The agent's own workspace. Absolute. */
  readonly workspace: string;
  readonly agentId: string;
  readonly signal: AbortSignal;
}
/** Lists the available skills, and the commands of a workspace. Implemented by `skills`, used by the gateway. */
interface SkillIndex {
  /** The eligible skills, by name; `allow` restricts them (`undefined`: all, `[]`: none). */
  list(options: SkillPlace & {
    readonly allow?: readonly string[];
  }): Promise<readonly SkillEntry[]>;
  /** The skills that were found and cannot be used, by name, each with the reason. */
  leftOut(options: SkillPlace): Promise<readonly LeftOutSkill[]>;
  /** The instructions of a skill without its frontmatter; `undefined` if the file is gone or unusable by now. */
  readBody(skill: SkillEntry, options: {
    readonly signal: AbortSignal;
  }): Promise<string | undefined>;
  /** The files of `<workspace>/commands`, by name; `problems` says of each unusable one what to change. */
  commands(options: Pick<SkillPlace, "workspace" | "signal">): Promise<{
    readonly commands: readonly CommandFile[];
    readonly problems: readonly {
      readonly path: string;
      readonly message: string;
    }[];
  }>;
}
/** Learns which runs use which skills, so that a skill's commands are given its keys in those runs only. */
interface SkillUse {
  /** People invoked these skills in messages of the run. */
  invoked(run: RunFacts, names: readonly string[]): void;
}
/** When a job falls due, as a person writes it. Local times without a `timezone` are in the agent's. */
type JobSchedule = {
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
/** What a job does. Only `agentTurn` calls a model. */
type JobPayload = {
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
/** Where the outcome goes. */
type JobDelivery = {
  readonly type: "announce";
  readonly to?: string;
} | {
  readonly type: "webhook";
  readonly url: string;
  readonly secret?: string;
} | {
  readonly type: "none";
};
/** What decides without a model whether a run is worth it. Its output is given to the run as text of others. */
type JobCheck = {
  readonly type: "argv";
  readonly argv: readonly string[];
} | {
  readonly type: "url";
  readonly url: string;
} | {
  readonly type: "fileChanged";
  readonly path: string;
};
/** What happens to slots that passed while the gateway was down. */
interface JobCatchUp {
  /** `once` runs the newest of them, `all` each of them. Default: `once` for `at`, otherwise `skip`. */
  readonly mode: "skip" | "once" | "all";
  /** Older slots are missed: a duration, `24h` by default. */
  readonly maxAge?: string;
}
/** A job as it is asked for. */
interface JobSpec {
  /** Unique among the jobs of the owner with its agent, and among those of others in one session. */
  readonly name: string;
  readonly description?: string;
  /** Default: true. */
  readonly enabled?: boolean;
  readonly schedule: JobSchedule;
  readonly payload: JobPayload;
  /** `isolated` (default): a session of its own for each run. `main`: the agent's main session. Otherwise a session by its key. */
  readonly session?: "isolated" | "main" | {
    readonly key: string;
  };
  readonly delivery?: JobDelivery;
  readonly check?: JobCheck;
  /** Default: the model of the conversation in which the job was made. Isolated runs only. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Default: the agent's limit. */
  readonly timeoutSeconds?: number;
  /** True: no bootstrap files in the prompt. Isolated runs only. */
  readonly lightContext?: boolean;
  /** The tools that its runs may call, of those that its creator had. Default: all of them. */
  readonly tools?: readonly string[];
  readonly catchUp?: JobCatchUp;
  /** What happens to a slot while an earlier run goes on. Default: `skip`. */
  readonly overlap?: "skip" | "queue" | "replace";
  /** Default: true for `at`. */
  readonly deleteAfterRun?: boolean;
}
/** What is known of what an occurrence has sent: every part was accepted so far, one may have been shown or not, or one was given up. */
type JobReceipt = "delivered" | "ambiguous" | "undelivered";
/** The outcome of one slot of a job: each slot has exactly one. */
interface JobOccurrence {
  readonly jobId: string;
  /** The planned instant, milliseconds since the epoch. */
  readonly slotMs: number;
  /** `claimed`: to be run. `missed`: not run, because the gateway was down or the clock jumped. */
  readonly state: "claimed" | "running" | "done" | "failed" | "skipped" | "missed";
  /** From 1. */
  readonly attempt: number;
  /** Asked for by a person rather than by the schedule. */
  readonly isManual?: true;
  /** Why it failed, was skipped or missed. */
  readonly reason?: string;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** The beginning of what it said. */
  readonly text?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Absent: it has sent nothing, or nothing whose outcome is known yet. */
  readonly receipt?: JobReceipt;
  /** The session in which it ran. */
  readonly sessionKey?: string;
  /** Of a row that stands for several missed slots: how many. */
  readonly count?: number;
  /** The earliest start of the next attempt. */
  readonly notBeforeMs?: number;
}
/** A job with its state. */
interface JobView {
  readonly id: string;
  readonly agentId: string;
  readonly spec: JobSpec;
  readonly createdAtMs: number;
  /** Where it was made: a session's key, or the command line. */
  readonly createdIn: string;
  /** Absent: it will not run again. */
  readonly nextAtMs?: number;
  readonly last?: JobOccurrence;
  /** Failures in a row. */
  readonly failures: number;
  /** Why the gateway has disabled it. */
  readonly disabledBecause?: string;
}
/** The outcome of a change. `refused` says what to do. */
type JobChange = {
  readonly type: "done";
  readonly job: JobView;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** The caller of a job's tool. */
interface JobCaller extends ToolCaller {
  /** What a decision on the call covers, as its inspection says. Absent: the call names no program. */
  readonly binding?: JsonValue;
}
/** What became of a wake-up. `note`: why nothing was woken at once. `refused` says what to do. */
type WakeResult = {
  readonly type: "done";
  readonly note?: string;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** Scheduled jobs, for the tool `cron`. A caller that is not the owner sees and changes only jobs made in its session. Implemented by the gateway. */
interface ScheduledJobs {
  list(caller: JobCaller): Promise<readonly JobView[]>;
  add(spec: JobSpec, caller: JobCaller): Promise<JobChange>;
  /** `id`: an id or a name. */
  update(id: string, change: Partial<JobSpec>, caller: JobCaller): Promise<JobChange>;
  remove(id: string, caller: JobCaller): Promise<JobChange>;
  /** Runs it at once, besides its schedule. */
  run(id: string, caller: JobCaller): Promise<JobChange>;
  /** Tells the agent's heartbeat of something, the owner's runs alone: `now` makes it due at once. */
  wake(event: {
    readonly text: string;
    readonly wake: "now" | "next-heartbeat";
  }, caller: JobCaller): Promise<WakeResult>;
  /** Newest first; `undefined` if there is no such job. */
  runs(id: string, options: {
    readonly limit: number;
  }, caller: JobCaller): Promise<readonly JobOccurrence[] | undefined>;
}
/** Why the process of a server has ended, for the owner. `said`: what it wrote last, of which the newest lines are added, or the error that it ended with. */
declare function describeEnd({ end }: CommandResult, said: string): string;
/** The program of a server that speaks over its standard input and output, such as an MCP server or a language server. */
interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It may be given text of others: a sandbox shows it the workspace read-only. */
  readonly tainted: boolean;
}
/** The sandbox of a server. */
interface ServerSandbox {
  /** `inherit`: that of the session that uses the server. `on`: always. `off`: on the host. */
  readonly mode: "inherit" | "on" | "off";
  /** With `on`: hosts that the server may reach. */
  readonly network: "none" | {
    readonly allow: readonly string[];
  };
  /** With `on`: access to the workspace. */
  readonly workspace: "none" | "ro" | "rw";
}
/** What a runner starts for a server: without a time limit, with its input open. The last part of its standard error follows when it exits, for `describeEnd`. */
declare function renderServerCommand({ command, args, cwd, env, tainted }: ServerCommand): CommandRequest;
/** The facts by which a runner chooses the sandbox of a server. `name`: what kind of server it is. */
declare function createServerRun(name: string, { mode, network, workspace }: ServerSandbox, { sandbox: inherited, ...place }: Pick<RunFacts, "agentId" | "workspace" | "sandbox">): RunFacts;
/**
 * The most similar candidate, or `undefined` if none is close: at most one edit per three characters, a transposition counting as one edit, ignoring case.
 * `maxEdits` allows fewer.
 */
declare function nearestName(name: string, candidates: Iterable<string>, { maxEdits }?: {
  readonly maxEdits?: number;
}): string | undefined;
/** A count with its unit, whose plural ends in "s": `1 minute`, `2 minutes`. */
declare function plural(count: number, unit: string): string;
/** An object without the keys whose value is `undefined`. */
type WithoutUndefined<Values> = { readonly [Key in keyof Values as undefined extends Values[Key] ? never : Key]: Values[Key]; } & { readonly [Key in keyof Values as undefined extends Values[Key] ? Key : never]?: Exclude<Values[Key], undefined>; };
/** Returns the given keys, in order, without those whose value is `undefined`, for spreading into an object with optional keys. */
declare function withoutUndefined<Values extends object>(values: Values): WithoutUndefined<Values>;
/**
 * Who a remembered text comes from: `agent` was written in a turn that a person started, `untrusted` by one that had read text of others (R23), `system` by a run
 * that no person started.
 */
type MemoryOrigin = "owner" | "agent" | "untrusted" | "system";
/** What is searched. */
type MemorySourceKind = "notes" | "sessions";
/** A passage that matches a search. */
interface MemoryHit {
  /** Where it is, as `get` takes it: a note relative to the workspace, or absolute; what was said as `<session id>#<entry id>`. */
  readonly path: string;
  /** From 1, inclusive; those of one entry. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  readonly source: MemorySourceKind;
  readonly origin: MemoryOrigin;
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly day?: string;
}
/** A search. */
interface MemoryQuery {
  readonly query: string;
  readonly maxResults: number;
  /** Hits with a lower score are left out. */
  readonly minScore: number;
  readonly sources: readonly MemorySourceKind[];
  /** The conversation that asks, by its session id: what its requests contain anyway is left out. */
  readonly exceptSession?: string;
}
/** The result of a search, best hit first. `degraded` says why it was less complete than usual. */
interface MemoryAnswer {
  readonly hits: readonly MemoryHit[];
  readonly degraded?: string;
}
/** Lines of something remembered. */
type MemoryPassage = {
  readonly type: "found";
  readonly path: string;
  /** Absent: notes. */
  readonly source?: MemorySourceKind;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly origin: MemoryOrigin;
  /** There are more lines. */
  readonly isCut: boolean;
} | {
  readonly type: "not-found";
  readonly message: string;
};
/** What is indexed as vectors. */
interface MemoryEmbedded {
  /** Reference of the model. */
  readonly model: string;
  /** Passages that have a vector of it. */
  readonly chunks: number;
}
/** What is indexed of one agent, and what is not. */
interface MemoryStatus {
  /** Which provider this is. */
  readonly provider: string;
  /** It answers searches. */
  readonly works: boolean;
  readonly files: number;
  /** Conversations of which something is indexed; absent: they are not searched. */
  readonly conversations?: number;
  readonly chunks: number;
  /** Of the index on the disk. */
  readonly sizeBytes?: number;
  /** When the index last changed, in milliseconds since the epoch; absent: it has not been filled. */
  readonly indexedAtMs?: number;
  /** Absent: texts are compared by words alone. */
  readonly embedded?: MemoryEmbedded;
  /** What is wrong, or left out, each a sentence for the owner. */
  readonly problems: readonly string[];
}
/** A file or a conversation whose passages in the index are others than before. */
interface MemoryChange {
  /** Of a conversation its session id. */
  readonly path: string;
  readonly type: "added" | "changed" | "removed";
}
/** The result of an update of the index. */
interface MemoryIndexed {
  readonly status: MemoryStatus;
  readonly changes: readonly MemoryChange[];
}
/** What an agent remembers. Implemented by `memory` and by plugins, used by `tools`. Who may ask is decided by the caller. */
interface MemoryProvider {
  /** Resolves within about 2 seconds. Never rejects because a part of the search is not available: `degraded` says so. */
  search(query: MemoryQuery, options: {
    readonly agentId: string;
    readonly signal: AbortSignal;
  }): Promise<MemoryAnswer>;
  /** At most `lines` lines of a path of a hit, from line `from` on. Opens nothing else. */
  get(where: {
    readonly path: string;
    readonly from: number;
    readonly lines: number;
  }, options: {
    readonly agentId: string;
    readonly signal: AbortSignal;
  }): Promise<MemoryPassage>;
  /** Changes nothing. */
  status(options: {
    readonly agentId: string;
    readonly signal: AbortSignal;
  }): Promise<MemoryStatus>;
  /** Brings the index up to date; `rebuild` reads everything again, and replaces the index by one that is built from nothing. */
  index(options: {
    readonly agentId: string;
    readonly rebuild: boolean;
    readonly signal: AbortSignal;
  }): Promise<MemoryIndexed>;
}
/** What a note held before a change. */
interface NoteVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others (R23). */
  readonly untrusted: boolean;
}
/** A note that has versions. */
interface VersionedNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly count: number;
  readonly newestAtMs: number;
}
/** Who wrote an entry of a note: a statement, such as an item of a list. */
interface NoteEntrySource {
  /** Names the entry by its text. */
  readonly digest: string;
  readonly origin: MemoryOrigin;
  readonly kind: RunKind;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly atMs: number;
}
/** What became of a change: `remarks` says for the model what was written otherwise than it asked, by path. The message of a refusal is for the model, too. */
type NoteVerdict = {
  readonly type: "made";
  readonly remarks: ReadonlyMap<string, string>;
} | {
  readonly type: "refused";
  readonly message: string;
};
/** Rules for what tools write into the notes of agents. Implemented by `memory`, used by `tools`. */
interface NoteGate {
  /**
   * Calls `make` once with the contents that take the place of those asked for, by path, unless a rule refuses a write: then nothing may change. Files that are no
   * notes pass. No other change of notes is made meanwhile. What it records is durable before the call. Rejects if `make` does, or if it cannot record.
   */
  change(writes: readonly FileWrite[], make: (contents: ReadonlyMap<string, string>) => Promise<void>): Promise<NoteVerdict>;
}
/** What is wrong with an entry or a file: `over-budget` of a file alone. */
interface NoteFinding {
  readonly type: "untrusted" | "junk" | "duplicate" | "over-budget" | "secret";
  /** A sentence for the owner. */
  readonly message: string;
}
/** An entry of a note, and where it comes from. */
interface AuditedEntry {
  /** From 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** Secrets are redacted. */
  readonly text: string;
  /** Absent: no tool wrote it; by hand, or by a command. */
  readonly origin?: MemoryOrigin;
  readonly source?: Omit<NoteEntrySource, "digest" | "origin">;
  readonly findings: readonly NoteFinding[];
}
/** A note, by its path relative to the workspace. */
interface AuditedNote {
  readonly path: string;
  readonly chars: number;
  /** How many characters of it the prompt shows; absent for daily notes. */
  readonly maxChars?: number;
  readonly findings: readonly NoteFinding[];
  readonly entries: readonly AuditedEntry[];
}
/** Examines the notes of an agent: `MEMORY.md`, `USER.md` and the daily ones. Changes nothing. Resolves with the curated ones first, then by path. */
type AuditNotes = (agentId: string, options: {
  readonly signal: AbortSignal;
}) => Promise<readonly AuditedNote[]>;
/**
 * Turns texts into vectors whose direction is their meaning. Implemented by `gateway` over the model that the configuration names, used by `memory`. What may be
 * sent is decided by the caller.
 */
interface TextEmbeddings {
  /** Reference of the model that the configuration names now; `undefined` if it names no model. Vectors of different models cannot be compared. */
  model(): string | undefined;
  /** A vector for each text, in the same order. Charged to the agent's memory. Rejects with a `ModelError` whose message says what to do. */
  embed(texts: readonly string[], options: {
    readonly model: string;
    readonly agentId: string;
    readonly signal: AbortSignal;
  }): Promise<readonly (readonly number[])[]>;
}
export { type AgentEvent, type AgentMessage, type AgentSessionKind, type AgentSessions, type AgentTool, type AgentToolResult, type AssistantMessage, type AuditNotes, type AuditedEntry, type AuditedNote, type BackgroundCommand, type BackgroundCommands, COMPACTION_DEFAULTS, type CacheLifetime, type CacheRetention, type ChangeCheck, type ChangeChecker, type CheckedFile, type Clock, type CommandFile, type CommandOptions, type CommandOutput, type CommandRequest, type CommandResult, type CommandRunner, type CompactionMessage, EXTERNAL_CALL, EXTERNAL_PERMISSION, EXTERNAL_PROVIDER, type EditorCommand, type EditorFiles, type EditorStart, type EditorTerminal, type EditorTerminals, type EditorWrite, type ExternalAgentView, type ExternalAgents, type ExternalConversation, type FileBefore, type FileChangePlan, type FileCheckpoints, type FileProvenance, type FileWrite, type FilledPrompt, type ImageContent, type ImageOrder, type InputOutcome, type InspectedCall, type JobCaller, type JobCatchUp, type JobChange, type JobCheck, type JobDelivery, type JobOccurrence, type JobPayload, type JobReceipt, type JobSchedule, type JobSpec, type JobView, type JsonObject, type JsonSchema, type JsonValue, type KeptFile, type LeftOutSkill, type ListedSession, type Logger, MODEL_APIS, type MadeFile, type MediaCallOptions, type MediaModels, type MediaOutcome, type MemoryAnswer, type MemoryChange, type MemoryEmbedded, type MemoryHit, type MemoryIndexed, type MemoryOrigin, type MemoryPassage, type MemoryProvider, type MemoryQuery, type MemorySourceKind, type MemoryStatus, type MessageCard, type MessageOperation, type MessagingFeatures, type Messenger, type MessengerRequest, type MessengerResult, type ModelApi, type ModelClient, type ModelCost, ModelError, type ModelErrorCode, type ModelEvent, type ModelInfo, type ModelRequest, type ModelSampler, type ModelStreamEvent, NO_USAGE, NO_USAGE_TOTALS, type NoteEntrySource, type NoteFinding, type NoteGate, type NoteVerdict, type NoteVersion, type OutputPart, type PlanBoard, type PlanStep, type Question, type QuestionOutcome, type Questioner, RUN_KINDS, type Random, type ReachableAgent, type Restarter, type Retry, type RunFacts, type RunFailureCode, type RunKind, type RunLimits, type RunOutcome, type RunSandbox, type RunningCommand, type SamplingOutcome, type SamplingRequest, type ScheduledJobs, type ServerCommand, type ServerSandbox, type SessionFilter, type SessionHistoryPage, type SessionList, type SessionMessage, type SessionReference, type SessionReporter, type SessionSendOutcome, type SettingsAnswer, type SettingsChange, type SettingsService, type SkillEntry, type SkillIndex, type SkillPlace, type SkillSource, type SkillUse, type SourceCommand, type SourcePrompt, type SpawnAttachment, type SpawnOutcome, type SpawnRequest, type SteeringQueue, type StopReason, type SubagentChange, type SubagentLog, type SubagentState, type SubagentView, type Subagents, type SystemPrompt, THINKING_LEVELS, type TextContent, type TextEmbeddings, type ThinkingContent, type ThinkingLevel, type ToolCall, type ToolCallContent, type ToolCaller, type ToolOptions, type ToolResultMessage, type ToolSchema, type ToolSource, type ToolTraits, type Usage, type UsageTotals, type UserMessage, type UserMessageParts, type VersionedNote, type WakeResult, type WithoutUndefined, addUsage, commandSandbox, createServerRun, describeEnd, externalModelInfo, joinUsage, nearestName, plural, renderServerCommand, withoutUndefined };