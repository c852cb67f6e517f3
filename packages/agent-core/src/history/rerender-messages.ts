import type { AgentMessage, TextContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { readEarlierMessage, renderOlderTurn, type EarlierMessage, type OlderTurnOptions } from "../effective-prompt/render-older-turn.ts";
import { capContent } from "../loop/truncate-tool-result.ts";
import { replaceImage, withoutImages } from "./drop-images.ts";

/** Options for re-rendering older turns. */
export interface RerenderOptions extends Pick<OlderTurnOptions, "promptChannel"> {
  /** Maximum characters of one tool result. */
  readonly toolResultMaxChars: number;
}

/**
 * Re-renders older turns, at a named cause: the text of a user message keeps time, sender and context (`renderOlderTurn`); images become a line of text; tool
 * results are truncated to `toolResultMaxChars` if the model's window has become smaller.
 *
 * Pure and idempotent: an unchanged message is returned as the same object. Messages that this product did not render keep their text. Pass the history without
 * the current turn, and store the result: from then on it is replayed unchanged.
 */
export function rerenderMessages(messages: readonly AgentMessage[], options: RerenderOptions): readonly AgentMessage[] {
  const earlier = new Map<string, EarlierMessage>();
  const repliedTo = (id: string): EarlierMessage | undefined => earlier.get(id);
  return messages.map((message): AgentMessage => {
    switch (message.role) {
      case "user": {
        const rendered = rerenderUser(message, { ...options, repliedTo });
        const [first] = message.content;
        const own = first?.type === "text" && message.parts !== undefined ? readEarlierMessage(first.text, message.parts) : undefined;
        if (own !== undefined) earlier.set(own.id, own);
        return rendered;
      }
      case "assistant":
        return message;
      case "toolResult":
        return resize(withoutImages(message), options.toolResultMaxChars);
      default:
        return message satisfies never;
    }
  });
}

function rerenderUser(message: UserMessage, options: OlderTurnOptions): UserMessage {
  const [first, ...others] = message.content;
  const text = first?.type === "text" && message.parts !== undefined ? renderOlderTurn(first.text, message.parts, options) : undefined;
  if (first === undefined || text === undefined) return withoutImages(message);
  const content = [...(text === "" ? [] : [{ type: "text", text } satisfies TextContent]), ...others.map(replaceImage)];
  const same = content.length === message.content.length && content.every((block, index) => sameText(block, message.content[index]));
  return same ? message : { ...message, content };
}

function sameText(block: TextContent, other: UserMessage["content"][number] | undefined): boolean {
  return other?.type === "text" && other.text === block.text;
}

function resize(message: ToolResultMessage, maxChars: number): ToolResultMessage {
  const content = capContent(message.content, maxChars);
  return content === message.content ? message : { ...message, content };
}
