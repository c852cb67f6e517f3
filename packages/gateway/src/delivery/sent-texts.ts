import { beginsTurn } from "@factotum/agent-core";
import type { AgentMessage } from "@factotum/agent-contract";

/** A call of the `message` tool that went to the run's own origin: its text. */
export function sentText(call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }): string | undefined {
  const { message, target } = call.arguments;
  return call.name === "message" && target === undefined && typeof message === "string" ? message.trim() : undefined;
}

/** What has come since the last turn began. */
export function turnMessages(history: readonly AgentMessage[]): readonly AgentMessage[] {
  return history.slice(history.findLastIndex(beginsTurn) + 1);
}

/** What a turn that goes on after a restart has sent to its own origin before. */
export function sentTextsOf(history: readonly AgentMessage[]): readonly string[] {
  const turn = turnMessages(history);
  const done = new Set(turn.flatMap((message) => (message.role === "toolResult" && !message.isError ? [message.toolCallId] : [])));
  const calls = turn.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return calls.flatMap((block) => {
    const text = block.type === "toolCall" && done.has(block.id) ? sentText(block) : undefined;
    return text === undefined ? [] : [text];
  });
}
