/** Plain data: everything that passes between the gateway and a plugin. */
type PluginJson = string | number | boolean | null | readonly PluginJson[] | PluginObject;
/** An object of plain data. */
interface PluginObject {
  readonly [key: string]: PluginJson | undefined;
}
/** The conversation that a hook is called for. */
interface HookPlace {
  readonly agentId: string;
  readonly sessionKey: string;
  /** The message's sender is the owner. */
  readonly owner: boolean;
}
/** A conversation, where no message is the occasion. */
interface HookConversation {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
}
/** A message as hooks see it. */
interface HookMessage {
  readonly channel: string;
  readonly accountId: string;
  readonly conversation: string;
  readonly senderId: string;
  readonly text: string;
}
/** A request to a model: of a run, of a compaction, of a tool that looks at images. A retry and a fallback are requests of their own. */
interface HookModelCall extends HookPlace {
  /** What it is for: `user`, `heartbeat`, `compaction`, … */
  readonly kind: string;
  readonly provider: string;
  readonly model: string;
}
/** What each hook is called with. */
interface HookPayloads {
  /** A message was admitted, before it is a part of its session. */
  readonly message_received: HookPlace & {
    readonly message: HookMessage;
  };
  /** Work on a turn is about to begin, before its prompt is built. `texts`: its messages. */
  readonly before_dispatch: HookPlace & {
    readonly texts: readonly string[];
  };
  /** The messages of a turn are put together. */
  readonly before_prompt_build: HookPlace & {
    readonly texts: readonly string[];
  };
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
  readonly message_sending: {
    readonly sessionKey: string;
    readonly channel: string;
    readonly conversation: string;
    readonly text: string;
  };
  readonly message_sent: {
    readonly sessionKey: string;
    readonly channel: string;
    readonly conversation: string;
    /** `accepted`, or why it was not. */
    readonly outcome: "accepted" | "rejected" | "ambiguous";
  };
  /** The first turn of a conversation begins. */
  readonly session_start: HookPlace & {
    readonly sessionId: string;
  };
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
  readonly session_end: HookConversation & {
    readonly reason: "reset" | "stale" | "deleted";
  };
  /** A turn is over. `text`: its answer, at most 16,000 characters. */
  readonly agent_end: HookPlace & {
    readonly runId: string;
    readonly outcome: "done" | "aborted" | "failed";
    readonly text: string;
  };
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
  readonly gateway_start: {
    readonly version: string;
  };
  readonly gateway_stop: {
    readonly reason: string;
  };
}
/** The names of the hooks. */
type HookName = keyof HookPayloads;
/** What a handler of a hook may answer; `undefined` or no answer: go on. */
interface HookAnswers {
  readonly message_received: undefined;
  /** `deny`: the turn ends before a model is asked, and its sender gets the reason. */
  readonly before_dispatch: {
    readonly deny: string;
  } | undefined;
  /** Text that the model reads before the messages. It counts as text of others unless the plugin is trusted. */
  readonly before_prompt_build: {
    readonly prependContext: string;
  } | undefined;
  /** `deny`: the request is not sent, and no other model is asked in its place. The owner sees the reason. */
  readonly before_model_call: {
    readonly deny: string;
  } | undefined;
  readonly after_model_call: undefined;
  /** `deny`: the model gets the reason. `ask`: the owner decides, and reads the reason. `arguments`: the call is made with these. */
  readonly before_tool_call: {
    readonly deny: string;
  } | {
    readonly ask: string;
  } | {
    readonly arguments: PluginObject;
  } | undefined;
  readonly after_tool_call: undefined;
  /** `text`: it is sent in place of the original. `cancel`: nothing is sent; the reason is for the owner. */
  readonly message_sending: {
    readonly text: string;
  } | {
    readonly cancel: string;
  } | undefined;
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
type HookKind = "observe" | "transform" | "decide";
/** A row of the table of hooks. */
interface HookRow {
  readonly kind: HookKind;
  /** Of handlers that state none. Higher ones run first; equal ones in the order of the plugins' ids. */
  readonly priority: number;
  /** Milliseconds that one handler may take. */
  readonly timeoutMs: number;
}
/** All hooks: the set is closed. A handler of a `decide` or `transform` hook gets what the handlers before it have changed. */
declare const HOOKS: { readonly [Name in HookName]: HookRow; };
/** True for the name of a hook. */
declare function isHookName(name: string): name is HookName;
/** Handles a hook; may answer at once. A rejection is a failure of the plugin. */
type HookHandler<Name extends HookName> = (payload: HookPayloads[Name]) => HookAnswers[Name] | Promise<HookAnswers[Name] | undefined> | undefined;
/** Facts about a call of a tool. */
interface PluginCall {
  readonly callId: string;
  readonly agentId: string;
  readonly sessionKey: string;
  /** The model had read text of others than the owner. */
  readonly tainted: boolean;
  /** Fires when the call's result is no longer awaited. */
  readonly signal: AbortSignal;
}
/** The result of a tool: its text for the model, or a failure that the model can act on. */
type PluginToolResult = string | {
  readonly text: string;
  readonly isError?: boolean;
};
/** Runs a tool. The arguments are JSON that a model has written; they are not checked against the schema. A rejection becomes an error for the model. */
type PluginTool = (args: PluginObject, call: PluginCall) => PluginToolResult | Promise<PluginToolResult>;
/** A call of one of a plugin's models. */
interface PluginModelCall {
  /** Fires when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}
/**
 * Answers a request to one of the plugin's models, piece by piece. `request` is the body of a streaming request of OpenAI's Chat Completions API, with `model`,
 * `messages`, and `tools` if there are any; every piece is a `chat.completion.chunk` of that API, the last one with a `finish_reason`, and one with `usage`. An
 * error that is thrown fails the call; its number `status` is read like the status of an HTTP answer (401, 429, 503, …).
 * A model that embeds texts gets the body of a request of the Embeddings API, with `model` and the texts `input`, and yields `{ embedding: number[] }` for each.
 */
type PluginModels = (request: PluginObject, call: PluginModelCall) => AsyncIterable<PluginObject>;
/** A search in a memory. */
interface PluginMemoryQuery {
  readonly query: string;
  readonly maxResults: number;
  readonly agentId: string;
}
/** A passage that matches. */
interface PluginMemoryHit {
  /** As `get` takes it: a text of at most 500 characters, in one line. */
  readonly path: string;
  /** From 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly day?: string;
}
/** Lines of something remembered. */
interface PluginMemoryPassage {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** There are more lines. */
  readonly isCut?: boolean;
}
/** A memory, in place of the product's own. Only searches of people who may read it reach it. */
interface PluginMemory {
  /** Best hits first, within 2 seconds. */
  search(query: PluginMemoryQuery): readonly PluginMemoryHit[] | Promise<readonly PluginMemoryHit[]>;
  /** At most `lines` lines of the path of a hit, from line `from` on; `null`: there is no such thing. */
  get(where: {
    readonly path: string;
    readonly from: number;
    readonly lines: number;
    readonly agentId: string;
  }): PluginMemoryPassage | null | Promise<PluginMemoryPassage | null>;
}
/** Who typed a command, and where. */
interface PluginCommandCall {
  readonly agentId: string;
  readonly sessionKey: string;
  /** Fires when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}
/**
 * Answers a slash command of the owner with a text, without a model. `words`: what follows the name, without white space around it. A rejection becomes an answer
 * that says why.
 */
type PluginCommand = (words: string, call: PluginCommandCall) => string | Promise<string>;
/** The methods of routes. A request with HEAD is answered as one with GET, without its body. */
type PluginRouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** A request to a route. Who may send it is decided before: the owner alone, or everyone for a public route. */
interface PluginRouteRequest {
  readonly method: PluginRouteMethod;
  /** Below `/plugins/<id>`, as it was sent: `/report`, with its percent-encoding. */
  readonly path: string;
  /** Of a repeated name the last value. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. Without `authorization`, cookies, and what else may be a credential of the gateway or of a proxy. */
  readonly headers: Readonly<Record<string, string>>;
  /** UTF-8 text of at most `PLUGIN_LIMITS.routeBodyBytes`; empty without one. */
  readonly body: string;
}
/** The answer to a request. */
interface PluginRouteAnswer {
  /** 200 to 599. Default 200. */
  readonly status?: number;
  /** `content-type`, `content-disposition`, `content-language` and `retry-after` are sent, others are left out. Default type: plain text. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string;
}
/** Answers requests to a route. `signal` fires when the answer is no longer awaited. A rejection becomes the status 502, without its reason. */
type PluginRoute = (request: PluginRouteRequest, call: {
  readonly signal: AbortSignal;
}) => PluginRouteAnswer | Promise<PluginRouteAnswer>;
/** Rows of JSON that survive restarts, of this plugin alone. A change resolves once it is on disk. */
interface PluginState {
  get(key: string): Promise<PluginJson | undefined>;
  /** The keys that start with `prefix`, sorted. */
  keys(prefix?: string): Promise<readonly string[]>;
  /** Rejects when a limit of `PLUGIN_LIMITS` would be exceeded. */
  set(key: string, value: PluginJson): Promise<void>;
  /** No error if there is no such row. */
  delete(key: string): Promise<void>;
}
/** Writes to the gateway's log, marked with the plugin's id. Secrets are replaced; too many lines are dropped and counted. */
interface PluginLogger {
  debug(message: string, fields?: PluginObject): void;
  info(message: string, fields?: PluginObject): void;
  warn(message: string, fields?: PluginObject): void;
  error(message: string, fields?: PluginObject): void;
}
/** An answer of the web. */
interface PluginResponse {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** The body was longer than the limit. */
  readonly isCut: boolean;
}
/** What a plugin gets from the gateway. Everything is registered during `setup`. */
interface PluginApi {
  readonly id: string;
  /** `plugins.entries.<id>.config`, checked against the schema of the manifest. */
  readonly config: PluginObject;
  /** Values of the secrets that the manifest declares (`secrets:NAME`), by name; one without a value is absent. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The workspaces of the agents, by agent id, if the manifest declares `fs:workspace`. Real paths, which an isolated plugin can read and not change. */
  readonly workspaces: Readonly<Record<string, string>>;
  readonly state: PluginState;
  readonly logger: PluginLogger;
  /** The gateway's clock: milliseconds since the epoch. */
  readonly clock: {
    now(): number;
  };
  /** Requests a public address of a host that the manifest declares (`network:HOST`). Rejects with why there is no answer. */
  fetch(url: string, options?: {
    readonly method?: "GET" | "POST";
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }): Promise<PluginResponse>;
  /** Registers the code of a tool that the manifest declares. */
  tool(name: string, run: PluginTool): void;
  /** Registers what answers for the models that the manifest declares. */
  models(answer: PluginModels): void;
  /** Registers the memory that the manifest declares. */
  memory(memory: PluginMemory): void;
  /** Registers the code of a slash command that the manifest declares, by its name without the slash. */
  command(name: string, run: PluginCommand): void;
  /** Registers what answers a route that the manifest declares, with the same path. */
  route(method: PluginRouteMethod, path: string, answer: PluginRoute): void;
  /** Registers a handler of a hook that the manifest declares. */
  hook<Name extends HookName>(name: Name, handle: HookHandler<Name>): void;
}
/** A plugin, as its entry exports it under the name `plugin`. */
interface Plugin {
  readonly id: string;
  /** Registers everything, within 2 seconds. */
  setup(api: PluginApi): void | Promise<void>;
}
/** Limits of every plugin. */
declare const PLUGIN_LIMITS: {
  /** Milliseconds of `setup`, the import included. */
  readonly setupMs: number;
  /** Milliseconds of a tool call. */
  readonly toolMs: number;
  /** Milliseconds of a slash command. */
  readonly commandMs: number;
  /** Milliseconds of a search in a memory. */
  readonly memoryMs: number;
  /** Milliseconds of a model's answer, from its request to its end. */
  readonly modelMs: number;
  /** Milliseconds of the answer of a route. */
  readonly routeMs: number;
  /** Bytes of the body of a request to a route. */
  readonly routeBodyBytes: number;
  /** UTF-16 units of one answer, or of one piece of a model's answer, of its JSON. */
  readonly answerChars: number;
  /** Lines of a plugin in the log in ten seconds. */
  readonly logLines: number;
  /** UTF-16 units of a key of the state. */
  readonly stateKeyChars: number;
  /** UTF-16 units of the JSON of a value. */
  readonly stateValueChars: number;
  /** Rows of the state. */
  readonly stateRows: number;
  /** Bytes of a response. */
  readonly fetchBytes: number;
};
/** Defines a plugin: gives its object the types. */
declare function definePlugin(plugin: Plugin): Plugin;
export { HOOKS, type HookAnswers, type HookConversation, type HookHandler, type HookKind, type HookMessage, type HookModelCall, type HookName, type HookPayloads, type HookPlace, type HookRow, PLUGIN_LIMITS, type Plugin, type PluginApi, type PluginCall, type PluginCommand, type PluginCommandCall, type PluginJson, type PluginLogger, type PluginMemory, type PluginMemoryHit, type PluginMemoryPassage, type PluginMemoryQuery, type PluginModelCall, type PluginModels, type PluginObject, type PluginResponse, type PluginRoute, type PluginRouteAnswer, type PluginRouteMethod, type PluginRouteRequest, type PluginState, type PluginTool, type PluginToolResult, definePlugin, isHookName };