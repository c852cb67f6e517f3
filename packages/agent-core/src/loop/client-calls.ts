import type { AssistantMessage, ToolCall, ToolCallContent } from "@factotum/agent-contract";

/**
 * Marks the calls of a client's tools in an answer. A call that cannot be read, or that the output limit may have cut, stays unmarked: it is answered with an
 * error here, like any other. Unchanged messages are returned as the same objects.
 */
export function markClientCalls(message: AssistantMessage, names: ReadonlySet<string>): AssistantMessage {
  const isTheirs = (block: AssistantMessage["content"][number]): block is ToolCallContent =>
    block.type === "toolCall" && block.client !== true && block.unreadable === undefined && names.has(block.name);
  if (message.stopReason === "length" || !message.content.some(isTheirs)) return message;
  return { ...message, content: message.content.map((block) => (isTheirs(block) ? { ...block, client: true as const } : block)) };
}

/** The calls of an answer, in order: those that are run here, and those of the client. */
export function splitCalls({ content }: AssistantMessage): { readonly own: readonly ToolCall[]; readonly client: readonly ToolCall[] } {
  const blocks = content.filter((block) => block.type === "toolCall");
  const toCall = ({ id, name, arguments: given }: ToolCallContent): ToolCall => ({ id, name, arguments: given });
  return {
    own: blocks.filter(({ client }) => client !== true).map(toCall),
    client: blocks.filter(({ client }) => client === true).map(toCall),
  };
}
