import type { AgentMessage } from "@factotum/agent-contract";

/** What one image costs, roughly, at the size that the media stage sends. */
export const IMAGE_TOKENS = 1_600;
/** What a provider puts around each message. */
const MESSAGE_TOKENS = 4;
const CHARS_PER_TOKEN = 4;

/** A guess without a tokenizer: four ASCII characters a token, one token for every other UTF-16 unit (Chinese, emoji). */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / CHARS_PER_TOKEN) + (text.length - ascii);
}

/** The same for a whole message, images and the arguments of calls included. */
export function estimateMessageTokens(message: AgentMessage): number {
  let tokens = MESSAGE_TOKENS;
  for (const block of message.content) {
    if (block.type === "text" || block.type === "thinking") tokens += estimateTokens(block.text);
    else if (block.type === "image") tokens += IMAGE_TOKENS;
    else tokens += MESSAGE_TOKENS + estimateTokens(block.name) + estimateTokens(JSON.stringify(block.arguments));
  }
  return tokens;
}

/** The sum over messages. */
export function estimateHistoryTokens(messages: readonly AgentMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

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
    return message.usage.total + estimateHistoryTokens(messages.slice(index + 1));
  }
  return options.overheadTokens + estimateHistoryTokens(messages);
}
