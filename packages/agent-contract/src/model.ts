import type { AssistantMessage, AgentMessage } from "./messages.ts";
import type { ModelError } from "./model-error.ts";
import type { ThinkingLevel } from "./run.ts";
import type { ToolSchema } from "./tool.ts";
import type { Usage } from "./usage.ts";

/**
 * Part 1 of a request. Between the halves lies the cache boundary: adapters turn it into cache marks, it is never text.
 * The stable half is identical for all sessions of an agent; the session half is fixed for one session.
 */
export interface SystemPrompt {
  readonly stable: string;
  readonly session: string;
}

/** How long a provider should keep the request's prefix: not at all, its default (about 5 minutes), or about an hour. */
export type CacheRetention = "none" | "short" | "long";

/** One request to one model. The client that takes it is bound to provider, model and credential. */
export interface ModelRequest {
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
  | { readonly type: "message-end"; readonly message: AssistantMessage }
  /** `partial` is what had been shown; it has no tool calls, since an unfinished message runs none. */
  | { readonly type: "message-failed"; readonly error: ModelError; readonly partial?: AssistantMessage };

/** Talks to one model. */
export interface ModelClient {
  readonly info: ModelInfo;
  /**
   * Sends one request and yields what comes back. Never throws: every failure, an abort included, ends the stream with `message-failed`.
   * Leaving the loop early closes the connection. A client that retries never yields a text twice.
   */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelEvent>;
}

/** US dollars for one million tokens. */
export interface ModelCost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** A cache write that is kept for an hour (`long` retention). */
  readonly cacheWriteLong?: number;
  /** Prices of the whole request once its prompt, cached tokens included, has more than `aboveTokens`. */
  readonly longContext?: Omit<ModelCost, "longContext"> & { readonly aboveTokens: number };
}

/** How long a provider keeps a prefix after its last use, by the retention that was asked for. `null`: it does not expire. */
export interface CacheLifetime {
  readonly shortMs: number | null;
  readonly longMs: number | null;
}

/** What is known of a model. */
export interface ModelInfo {
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
