import type { HookHandler, HookName } from "./hooks.ts";
import type { PluginJson, PluginObject } from "./plugin-json.ts";

/** Facts about a call of a tool. */
export interface PluginCall {
  readonly callId: string;
  readonly agentId: string;
  readonly sessionKey: string;
  /** The model had read text of others than the owner. */
  readonly tainted: boolean;
  /** Fires when the call's result is no longer awaited. */
  readonly signal: AbortSignal;
}

/** The result of a tool: its text for the model, or a failure that the model can act on. */
export type PluginToolResult = string | { readonly text: string; readonly isError?: boolean };

/** Runs a tool. The arguments are JSON that a model has written; they are not checked against the schema. A rejection becomes an error for the model. */
export type PluginTool = (args: PluginObject, call: PluginCall) => PluginToolResult | Promise<PluginToolResult>;

/** A call of one of a plugin's models. */
export interface PluginModelCall {
  /** Fires when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}

/**
 * Answers a request to one of the plugin's models, piece by piece. `request` is the body of a streaming request of OpenAI's Chat Completions API, with `model`,
 * `messages`, and `tools` if there are any; every piece is a `chat.completion.chunk` of that API, the last one with a `finish_reason`, and one with `usage`. An
 * error that is thrown fails the call; its number `status` is read like the status of an HTTP answer (401, 429, 503, …).
 * A model that embeds texts gets the body of a request of the Embeddings API, with `model` and the texts `input`, and yields `{ embedding: number[] }` for each.
 */
export type PluginModels = (request: PluginObject, call: PluginModelCall) => AsyncIterable<PluginObject>;

/** A search in a memory. */
export interface PluginMemoryQuery {
  readonly query: string;
  readonly maxResults: number;
  readonly agentId: string;
}

/** A passage that matches. */
export interface PluginMemoryHit {
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
export interface PluginMemoryPassage {
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** There are more lines. */
  readonly isCut?: boolean;
}

/** A memory, in place of the product's own. Only searches of people who may read it reach it. */
export interface PluginMemory {
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
export interface PluginCommandCall {
  readonly agentId: string;
  readonly sessionKey: string;
  /** Fires when the answer is no longer awaited. */
  readonly signal: AbortSignal;
}

/**
 * Answers a slash command of the owner with a text, without a model. `words`: what follows the name, without white space around it. A rejection becomes an answer
 * that says why.
 */
export type PluginCommand = (words: string, call: PluginCommandCall) => string | Promise<string>;

/** The methods of routes. A request with HEAD is answered as one with GET, without its body. */
export type PluginRouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request to a route. Who may send it is decided before: the owner alone, or everyone for a public route. */
export interface PluginRouteRequest {
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
export interface PluginRouteAnswer {
  /** 200 to 599. Default 200. */
  readonly status?: number;
  /** `content-type`, `content-disposition`, `content-language` and `retry-after` are sent, others are left out. Default type: plain text. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: empty. */
  readonly body?: string;
}

/** Answers requests to a route. `signal` fires when the answer is no longer awaited. A rejection becomes the status 502, without its reason. */
export type PluginRoute = (
  request: PluginRouteRequest,
  call: { readonly signal: AbortSignal },
) => PluginRouteAnswer | Promise<PluginRouteAnswer>;

/** Rows of JSON that survive restarts, of this plugin alone. A change resolves once it is on disk. */
export interface PluginState {
  get(key: string): Promise<PluginJson | undefined>;
  /** The keys that start with `prefix`, sorted. */
  keys(prefix?: string): Promise<readonly string[]>;
  /** Rejects when a limit of `PLUGIN_LIMITS` would be exceeded. */
  set(key: string, value: PluginJson): Promise<void>;
  /** No error if there is no such row. */
  delete(key: string): Promise<void>;
}

/** Writes to the gateway's log, marked with the plugin's id. Secrets are replaced; too many lines are dropped and counted. */
export interface PluginLogger {
  debug(message: string, fields?: PluginObject): void;
  info(message: string, fields?: PluginObject): void;
  warn(message: string, fields?: PluginObject): void;
  error(message: string, fields?: PluginObject): void;
}

/** An answer of the web. */
export interface PluginResponse {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
  /** The body was longer than the limit. */
  readonly isCut: boolean;
}

/** What a plugin gets from the gateway. Everything is registered during `setup`. */
export interface PluginApi {
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
  readonly clock: { now(): number };
  /** Requests a public address of a host that the manifest declares (`network:HOST`). Rejects with why there is no answer. */
  fetch(
    url: string,
    options?: { readonly method?: "GET" | "POST"; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<PluginResponse>;
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
export interface Plugin {
  readonly id: string;
  /** Registers everything, within 2 seconds. */
  setup(api: PluginApi): void | Promise<void>;
}

/** Limits of every plugin. */
export const PLUGIN_LIMITS: {
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
} = {
  setupMs: 2_000,
  toolMs: 60_000,
  commandMs: 60_000,
  memoryMs: 2_000,
  modelMs: 3_600_000,
  routeMs: 30_000,
  routeBodyBytes: 262_144,
  answerChars: 200_000,
  logLines: 100,
  stateKeyChars: 256,
  stateValueChars: 65_536,
  stateRows: 1_000,
  fetchBytes: 500_000,
};

/** Defines a plugin: gives its object the types. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
