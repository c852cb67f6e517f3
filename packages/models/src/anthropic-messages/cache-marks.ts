import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { CacheRetention } from "@factotum/agent-contract";

/**
 * Sets the cache marks, four at most, where a later request is the same up to there: after the tools, after each half of the system prompt,
 * and after the latest message. Marks are transport data: nothing else of the request changes, and the arguments stay as they are.
 */
export function markForCaching(
  prompt: LanguageModelV4Prompt,
  tools: readonly LanguageModelV4FunctionTool[],
  retention: CacheRetention,
): { readonly prompt: LanguageModelV4Prompt; readonly tools: LanguageModelV4FunctionTool[] } {
  if (retention === "none") return { prompt, tools: [...tools] };
  const mark = createMark(retention);
  const lastTool = tools.at(-1);
  const markedTools = lastTool === undefined ? [] : [...tools.slice(0, -1), { ...lastTool, providerOptions: mark }];
  const last = prompt.length - 1;
  const marked = prompt.map((message, index) => {
    if (message.role === "system") return { ...message, providerOptions: mark };
    return index === last ? markLastPart(message, mark) : message;
  });
  return { prompt: marked, tools: markedTools };
}

function createMark(retention: Exclude<CacheRetention, "none">): SharedV4ProviderOptions {
  return { anthropic: { cacheControl: retention === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } } };
}

function markLastPart(message: LanguageModelV4Message, mark: SharedV4ProviderOptions): LanguageModelV4Message {
  if (message.role === "user") return { ...message, content: withMarkedEnd(message.content, mark) };
  if (message.role === "tool") return { ...message, content: withMarkedEnd(message.content, mark) };
  return message;
}

function withMarkedEnd<T extends object>(parts: readonly T[], mark: SharedV4ProviderOptions): T[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, providerOptions: mark } : part));
}
