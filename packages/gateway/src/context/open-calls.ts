import type { AgentMessage, ToolCall, ToolCallContent } from "@factotum/agent-contract";

/**
 * The calls of the last answer without a result: left open by an interrupted run. The host decides their results before it continues (`runAgent` without a
 * prompt). Empty if the last answer is complete or was given up.
 */
export function openCalls(messages: readonly AgentMessage[]): readonly ToolCall[] {
  return openBlocks(messages).map(toCall);
}

/** Those of them that wait for a client's result. Pure. */
export function openClientCalls(messages: readonly AgentMessage[]): readonly ToolCall[] {
  return openBlocks(messages)
    .filter(({ client }) => client === true)
    .map(toCall);
}

function toCall({ id, name, arguments: given }: ToolCallContent): ToolCall {
  return { id, name, arguments: given };
}

function openBlocks(messages: readonly AgentMessage[]): readonly ToolCallContent[] {
  const index = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[index];
  if (last?.role !== "assistant" || last.stopReason === "error" || last.stopReason === "aborted") return [];
  const answered = new Map<string, number>();
  for (const message of messages.slice(index + 1)) {
    if (message.role === "toolResult") answered.set(message.toolCallId, (answered.get(message.toolCallId) ?? 0) + 1);
  }
  return last.content.flatMap((block): ToolCallContent[] => {
    if (block.type !== "toolCall") return [];
    const results = answered.get(block.id) ?? 0;
    answered.set(block.id, results - 1);
    return results > 0 ? [] : [block];
  });
}
