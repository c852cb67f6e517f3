import type { AgentMessage, ImageContent, TextContent } from "@factotum/agent-contract";
import { beginsTurn } from "./begins-turn.ts";

/** Replaces a removed image. */
export const IMAGE_REMOVED = "[image data removed - already processed by model]";

/**
 * Replaces the images of all turns but the last `keepTurns` (3 by default, including the current one) by a line of text. A turn begins with a user message.
 * `dropped` counts the images; above zero it is the named break `images-dropped`. Messages without such images are returned as the same objects. Pure.
 */
export function dropImages(
  messages: readonly AgentMessage[],
  options: { readonly keepTurns?: number } = {},
): { readonly messages: readonly AgentMessage[]; readonly dropped: number } {
  let turns = options.keepTurns ?? 3;
  let border = messages.length;
  while (border > 0 && turns > 0) if (beginsTurn(messages[--border])) turns--;
  const dropped = messages.slice(0, border).reduce((sum, message) => sum + imagesIn(message), 0);
  if (dropped === 0) return { messages, dropped };
  return { messages: messages.map((message, index) => (index < border ? withoutImages(message) : message)), dropped };
}

/** The message with a line of text in place of each image. */
export function withoutImages<T extends AgentMessage>(message: T): T {
  if (imagesIn(message) === 0 || message.role === "assistant") return message;
  return { ...message, content: message.content.map(replaceImage) };
}

/** A line of text in place of an image; text is returned unchanged. */
export function replaceImage(block: TextContent | ImageContent): TextContent {
  return block.type === "image" ? { type: "text", text: IMAGE_REMOVED } : block;
}

function imagesIn({ content }: AgentMessage): number {
  let images = 0;
  for (const { type } of content) if (type === "image") images++;
  return images;
}
