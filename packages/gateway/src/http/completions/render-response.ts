import type { StopReason, UsageTotals } from "@factotum/agent-contract";

/** What every object of one completion shares. */
export interface CompletionIdentity {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** As the client asked for it. */
  readonly model: string;
}

/** The whole answer in one object. */
export function renderCompletion(identity: CompletionIdentity, text: string, finishReason: string, usage: UsageTotals): object {
  return {
    ...identity,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: text, refusal: null }, logprobs: null, finish_reason: finishReason }],
    usage: renderUsage(usage),
  };
}

/** One piece of a streamed answer. */
export function renderChunk(identity: CompletionIdentity, delta: object, finishReason: string | null, withUsage: boolean): object {
  return {
    ...identity,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(withUsage ? { usage: null } : {}),
  };
}

/** The last piece, for clients that asked for usage. */
export function renderUsageChunk(identity: CompletionIdentity, usage: UsageTotals): object {
  return { ...identity, object: "chat.completion.chunk", choices: [], usage: renderUsage(usage) };
}

/** An error in the OpenAI API's shape. */
export function renderError(
  message: string,
  options: { readonly type: string; readonly param?: string | null; readonly code?: string | null },
): object {
  return { error: { message, type: options.type, param: options.param ?? null, code: options.code ?? null } };
}

/** OpenAI counts cached tokens as part of the prompt; ours are apart. */
function renderUsage(usage: UsageTotals): object {
  const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: usage.output,
    total_tokens: promptTokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}

/** Why the model stopped, in OpenAI's words. */
export function renderFinishReason(reason: StopReason): string {
  return reason === "length" ? "length" : "stop";
}
