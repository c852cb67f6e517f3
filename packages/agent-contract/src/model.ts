import type { AssistantMessage, AgentMessage, ToolResultMessage } from "./messages.ts";
import type { ModelError } from "./model-error.ts";
import type { ThinkingLevel } from "./run.ts";
import type { ToolCall, ToolSchema } from "./tool.ts";
import type { Usage } from "./usage.ts";

/**
 * Part 1 of a request. The cache boundary is between the halves: adapters turn it into cache marks, it is never text. The stable half is identical for all
 * sessions of an agent; the session half is fixed for one session.
 */
export interface SystemPrompt {
  readonly stable: string;
  readonly session: string;
}

/** How long a provider should keep the request's prefix: not at all, its default (about 5 minutes), or about an hour. */
export type CacheRetention = "none" | "short" | "long";

/** One request to one model. Its client is bound to provider, model and credential. */
export interface ModelRequest {
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
export type ModelEvent =
  | { readonly type: "message-start"; readonly usage?: Usage }
  | { readonly type: "text-start"; readonly index: number }
  | { readonly type: "text-delta"; readonly index: number; readonly text: string }
  | { readonly type: "text-end"; readonly index: number; readonly text: string }
  | { readonly type: "thinking-start"; readonly index: number }
  | { readonly type: "thinking-delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking-end"; readonly index: number; readonly text: string }
  | { readonly type: "tool-call-start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly id: string; readonly argumentsText: string }
  | { readonly type: "tool-call-end"; readonly index: number; readonly id: string; readonly name: string }
  /** An external agent has begun a call of its own, or says more about one that it has not ended: the later one of an id counts. */
  | { readonly type: "external-call"; readonly call: ToolCall }
  | { readonly type: "external-call-delta"; readonly id: string; readonly text: string }
  /** `results`: of the calls in the message that are `external`. */
  | { readonly type: "message-end"; readonly message: AssistantMessage; readonly results?: readonly ToolResultMessage[] }
  /** `partial`: what was shown. It has no tool calls, since an unfinished message runs none. */
  | { readonly type: "message-failed"; readonly error: ModelError; readonly partial?: AssistantMessage };

/** Sends requests to one model. */
export interface ModelClient {
  readonly info: ModelInfo;
  /**
   * Sends one request and yields the response. Never throws: every failure, including an abort, ends the stream with `message-failed`. Leaving the loop early
   * closes the connection. A client that retries never yields a text twice.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>;
}

/** US dollars per million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** A cache write that is kept for an hour (`long` retention). */
  readonly cacheWriteLong?: number;
  /** Prices of the whole request if its prompt, including cached tokens, has more than `aboveTokens`. */
  readonly longContext?: Omit<ModelCost, "longContext"> & { readonly aboveTokens: number };
}

/** How long a provider keeps a prefix after its last use, by requested retention. `null`: it does not expire. */
export interface CacheLifetime {
  readonly shortMs: number | null;
  readonly longMs: number | null;
}

/** Facts about a model. */
export interface ModelInfo {
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
export type ModelApi = "anthropic-messages" | "openai-responses" | "openai-chat" | "google-generative-ai" | "mistral" | "demo";

/** Every wire format. */
export const MODEL_APIS: readonly ModelApi[] = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "google-generative-ai",
  "mistral",
  "demo",
];
