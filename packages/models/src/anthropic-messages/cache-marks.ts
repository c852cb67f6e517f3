import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { CacheRetention } from "@factotum/agent-contract";

const MOST_MARKS = 4;

/** How many blocks before a mark the vendor searches for an earlier cache entry; with one to spare. */
const LOOK_BACK = 19;

/** The lifetime of a cache entry: 5 minutes, or an hour. */
export type CacheControl = { readonly type: "ephemeral"; readonly ttl?: "1h" };

/**
 * Sets the cache marks, four at most, at the positions up to which a later request is identical: after the tools, after each half of the system prompt, and
 * after the latest message. If the latest answer and its results have more blocks than the vendor searches backwards, the mark of the tools (the system
 * prompt's mark covers them) moves to where the previous request ended. Marks are transport data: nothing else of the request changes, and the arguments are
 * not modified. `createMark`: the SDK provider's form of a mark.
 */
export function markForCaching(
  prompt: LanguageModelV4Prompt,
  tools: readonly LanguageModelV4FunctionTool[],
  retention: CacheRetention,
  createMark: (control: CacheControl) => SharedV4ProviderOptions = (control) => ({ anthropic: { cacheControl: control } }),
): { readonly prompt: LanguageModelV4Prompt; readonly tools: LanguageModelV4FunctionTool[] } {
  if (retention === "none") return { prompt, tools: [...tools] };
  const mark = createMark(retention === "long" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" });
  const last = prompt.length - 1;
  const before = findFarEnd(prompt);
  const marked = prompt.map((message, index) => {
    if (message.role === "system") return { ...message, providerOptions: mark };
    return index === last || index === before ? markLastPart(message, mark) : message;
  });
  const lastTool = tools.at(-1);
  const needed = marked.filter((message) => message.role === "system").length + (before === undefined ? 1 : 2);
  if (lastTool === undefined || needed >= MOST_MARKS) return { prompt: marked, tools: [...tools] };
  return { prompt: marked, tools: [...tools.slice(0, -1), { ...lastTool, providerOptions: mark }] };
}

/** Where the previous request ended, if that is too far back to be found from the end. */
function findFarEnd(prompt: LanguageModelV4Prompt): number | undefined {
  const answer = prompt.findLastIndex((message) => message.role === "assistant");
  const before = prompt[answer - 1];
  if (before === undefined || before.role === "system" || before.role === "assistant") return undefined;
  const blocks = prompt.slice(answer).reduce((sum, message) => sum + message.content.length, 0);
  return blocks > LOOK_BACK ? answer - 1 : undefined;
}

function markLastPart(message: LanguageModelV4Message, mark: SharedV4ProviderOptions): LanguageModelV4Message {
  if (message.role === "user") return { ...message, content: withMarkedEnd(message.content, mark) };
  if (message.role === "tool") return { ...message, content: withMarkedEnd(message.content, mark) };
  return message;
}

function withMarkedEnd<T extends object>(parts: readonly T[], mark: SharedV4ProviderOptions): T[] {
  return parts.map((part, index) => (index === parts.length - 1 ? { ...part, providerOptions: mark } : part));
}
