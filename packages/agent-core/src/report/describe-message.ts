import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, ImageContent } from "@factotum/agent-contract";
import { readToolResultCut } from "../loop/truncate-tool-result.ts";
import { estimateMessageTokens } from "../tokens/estimate-tokens.ts";
import type { DescribedSection } from "./context-description.ts";
import { sizeOf } from "./context-size.ts";

/** Describes one message of a request as a section; its `id` may occur twice in a damaged history. */
export function describeMessage(message: AgentMessage): DescribedSection {
  const text = message.content.map((block) => textOf(block)).join("\n");
  const images = imagesOf(message);
  const truncation = message.role === "toolResult" ? readToolResultCut(text) : undefined;
  return {
    id: idOf(message),
    title: titleOf(message),
    ...sizeOf(text),
    tokens: estimateMessageTokens(message),
    ...(images.length === 0 ? {} : { images: images.map(imageFacts) }),
    ...withoutUndefined({ truncation }),
    ...ofOthers(message),
    text,
    sent: sentForm(message),
  };
}

/** The mark of a section whose message holds words or files of others. The model's own messages repeat, and are not marked. */
export function ofOthers(message: AgentMessage): Pick<DescribedSection, "ofOthers"> {
  return message.role !== "assistant" && message.tainted === true ? { ofOthers: true } : {};
}

/** The part of a message that is sent to a model: without times, usage and fields for people. */
export function sentForm(message: AgentMessage): string {
  const { role, content } = message;
  return JSON.stringify(role === "toolResult" ? [role, message.toolCallId, message.toolName, message.isError, content] : [role, content]);
}

/** The images of a message. */
export function imagesOf(message: AgentMessage): readonly ImageContent[] {
  return message.content.filter((block): block is ImageContent => block.type === "image");
}

/** Kind and size of an image, never its data. */
export function imageFacts({ data, mimeType }: ImageContent): { readonly mimeType: string; readonly bytes: number } {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return { mimeType, bytes: Math.max(0, Math.floor((data.length * 3) / 4) - padding) };
}

function textOf(block: AgentMessage["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `[thinking]\n${block.text}\n[/thinking]`;
    case "toolCall":
      return `${block.name} ${JSON.stringify(block.arguments)}`;
    case "image": {
      const { mimeType, bytes } = imageFacts(block);
      return `[${mimeType}, ${bytes} bytes]`;
    }
    default:
      return block satisfies never;
  }
}

function idOf(message: AgentMessage): string {
  return message.role === "toolResult" ? `result-${message.toolCallId}` : `${message.role}-${message.timestamp}`;
}

function titleOf(message: AgentMessage): string {
  switch (message.role) {
    case "user":
      return message.parts?.sender?.name ?? "User";
    case "assistant":
      return "Assistant";
    case "toolResult":
      return `Result of ${message.toolName}`;
    default:
      return message satisfies never;
  }
}
