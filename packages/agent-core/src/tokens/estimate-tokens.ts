import type { AgentMessage } from "@factotum/agent-contract";

/** Approximate tokens of an image at the size that the media stage sends. */
export const IMAGE_TOKENS = 1_600;
/** Overhead per message. */
const MESSAGE_TOKENS = 4;
const CHARS_PER_TOKEN = 4;

/**
 * Estimates tokens without a tokenizer: four ASCII characters per token, and one token per other UTF-16 unit (Chinese, emoji). Messages include their images
 * and the arguments of their calls, and not what an external agent has done itself, which no model of a provider is given.
 */
export function estimateTokens(given: string | readonly AgentMessage[]): number {
  if (typeof given !== "string") return given.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  return estimateTextTokens(given);
}

function estimateTextTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++;
  return Math.ceil(ascii / CHARS_PER_TOKEN) + (text.length - ascii);
}

/** The same for one message. */
export function estimateMessageTokens(message: AgentMessage): number {
  if (message.role === "toolResult" && message.external === true) return 0;
  let tokens = MESSAGE_TOKENS;
  for (const block of message.content) {
    if (block.type === "text" || block.type === "thinking") tokens += estimateTextTokens(block.text);
    else if (block.type === "image") tokens += IMAGE_TOKENS;
    else if (block.external !== true)
      tokens += MESSAGE_TOKENS + estimateTextTokens(block.name) + estimateTextTokens(JSON.stringify(block.arguments));
  }
  return tokens;
}
