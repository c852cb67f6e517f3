import type { AgentMessage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";

/**
 * Tokens that a request with these messages takes, system prompt and tools included. The provider's own figure for the last answered request covers everything
 * up to its answer; only later messages are estimated. Without such a figure everything is estimated.
 *
 * `usageFrom`: index of the first message whose figure is still valid, for a history that was cut or rendered again before it. `overheadTokens`: system prompt
 * and tools, for a full estimate.
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
