import type { StopReason, ToolCall } from "@factotum/agent-contract";
import type { AnswerUsage } from "./answer.ts";
import { renderToolCalls } from "./client-tools.ts";

/** Common fields of all objects of one completion. */
export interface CompletionIdentity {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** As requested by the client. */
  readonly model: string;
}

/** The complete answer in one object; without reasoning if there is none to show. */
export function renderCompletion(
  identity: CompletionIdentity,
  { text, reasoning, calls }: { readonly text: string; readonly reasoning: string; readonly calls: readonly ToolCall[] },
  finishReason: string,
  usage: AnswerUsage,
): object {
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: renderToolCalls(calls) }),
  };
  return {
    ...identity,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: renderUsage(usage),
  };
}

/** One chunk of a streamed answer. */
export function renderChunk(identity: CompletionIdentity, delta: object, finishReason: string | null, withUsage: boolean): object {
  return {
    ...identity,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(withUsage ? { usage: null } : {}),
  };
}

/** The last chunk, for clients that requested usage. */
export function renderUsageChunk(identity: CompletionIdentity, usage: AnswerUsage): object {
  return { ...identity, object: "chat.completion.chunk", choices: [], usage: renderUsage(usage) };
}

/** An error in the OpenAI API's shape. */
export function renderError(
  message: string,
  options: { readonly type: string; readonly param?: string | null; readonly code?: string | null },
): object {
  return { error: { message, type: options.type, param: options.param ?? null, code: options.code ?? null } };
}

/** OpenAI counts cached tokens as part of the prompt; ours are separate. */
function renderUsage(usage: AnswerUsage): object {
  const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.output,
    total_tokens: promptTokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}

/** The stop reason, in OpenAI's terms. */
export function renderFinishReason(reason: StopReason, calls: readonly ToolCall[]): string {
  if (calls.length > 0) return "tool_calls";
  return reason === "length" ? "length" : "stop";
}
