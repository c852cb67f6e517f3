import type { AgentMessage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";

/**
 * Tokens that a request with these messages takes, system prompt and tools included. The provider's own figure for the last answered request
 * counts for everything up to its answer; only what came after is guessed. Without such a figure all is guessed.
 *
 * `usageFrom`: index of the first message whose figure still holds, for a history that was cut or rendered anew before it.
 * `overheadTokens`: system prompt and tools, used when nothing but guesses is there.
 */
export function estimateContextTokens(
  messages: readonly AgentMessage[],
  options: { readonly overheadTokens: number; readonly usageFrom?: number },
): number {
  const from = options.usageFrom ?? 0;
  for (let index = messages.length - 1; index >= from; index--) {
    const message = messages[index];
    if (message?.role !== "assistant" || message.usage.total === 0) continue;
    return message.usage.total + estimateTokens(messages.slice(index + 1));
  }
  return options.overheadTokens + estimateTokens(messages);
}
