import type { AgentMessage, TextContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import { renderKeptBody } from "../effective-prompt/render-body.ts";
import { renderJson } from "../effective-prompt/render-json.ts";
import { sanitizeName } from "../effective-prompt/sanitize.ts";
import { capContent } from "../loop/truncate-tool-result.ts";
import { replaceImage, withoutImages } from "./drop-images.ts";

const DELIMITER = /^Inbound context \(trusted\):\n\{"schema":"[^"]*","delimiter":"([0-9a-f]{12})"/;

/**
 * Renders the turns of a history anew, at a named cause (design 03 §2): of a user message sender, body and system events stay, its other
 * blocks go; images become a line of text; tool results are cut to `toolResultMaxChars` where the model's window is smaller now.
 *
 * Pure and idempotent: what was rendered anew comes back as it is, as the same object. Messages that this product did not render keep their
 * text. Give it the history without the turn that is being made, and keep what it returns as it was kept before: as sent.
 */
export function rerenderMessages(
  messages: readonly AgentMessage[],
  options: { readonly toolResultMaxChars: number },
): readonly AgentMessage[] {
  return messages.map((message): AgentMessage => {
    switch (message.role) {
      case "user":
        return rerenderUser(message);
      case "assistant":
        return message;
      case "toolResult":
        return resize(withoutImages(message), options.toolResultMaxChars);
      default:
        return message satisfies never;
    }
  });
}

function rerenderUser(message: UserMessage): UserMessage {
  const [first, ...others] = message.content;
  const text = first?.type === "text" ? renderKept(first.text, message) : undefined;
  if (first === undefined || text === undefined) return withoutImages(message);
  const content = [...(text === "" ? [] : [{ type: "text", text } satisfies TextContent]), ...others.map(replaceImage)];
  const same = content.length === message.content.length && content.every((block, index) => sameText(block, message.content[index]));
  return same ? message : { ...message, content };
}

function sameText(block: TextContent, other: UserMessage["content"][number] | undefined): boolean {
  return other?.type === "text" && other.text === block.text;
}

/** `undefined` for a text that is not ours to render. */
function renderKept(text: string, { parts }: UserMessage): string | undefined {
  const delimiter = DELIMITER.exec(text)?.[1];
  if (parts === undefined || delimiter === undefined) return undefined;
  const { sender, systemEvents } = parts;
  const id = sanitizeName(sender?.id ?? "");
  const name = sanitizeName(sender?.name ?? "");
  const body = renderKeptBody(parts);
  return [
    ...(sender === undefined
      ? []
      : [`Inbound context (trusted):\n${renderJson({ schema: "factotum.inbound_meta.v1", delimiter, owner: sender.owner })}`]),
    ...systemEvents,
    ...(id === "" && name === ""
      ? []
      : [
          `[${delimiter} Sender (untrusted)]\n${renderJson({ ...(id === "" ? {} : { id }), ...(name === "" ? {} : { name }) })}\n[/${delimiter}]`,
        ]),
    ...(body === "" ? [] : [body]),
  ].join("\n");
}

function resize(message: ToolResultMessage, maxChars: number): ToolResultMessage {
  const content = capContent(message.content, maxChars);
  return content === message.content ? message : { ...message, content };
}
