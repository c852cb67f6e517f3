import { beginsTurn } from "@factotum/agent-core";
import type { AgentMessage, JsonObject, MessageOperation, ToolCall, ToolResultMessage } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";

/** Whether a person sees the operation as an answer. */
const IS_ANSWER: Readonly<Record<MessageOperation["type"], boolean>> = {
  send: true,
  card: true,
  poll: true,
  react: true,
  edit: false,
  delete: false,
  act: false,
};

/** The text of a `message` call that was sent to the run's own origin, by its result; empty for a file without text, a card, a poll and a reaction. */
export function sentText(call: Pick<ToolCall, "name" | "arguments">, result: ToolResultMessage, origin: Origin): string | undefined {
  if (call.name !== "message" || result.isError || !isTo(result.details, origin)) return undefined;
  const { action, message } = call.arguments;
  if (typeof action !== "string" || !Object.hasOwn(IS_ANSWER, action) || !IS_ANSWER[action as MessageOperation["type"]]) return undefined;
  return action === "send" && typeof message === "string" ? message.trim() : "";
}

function isTo(details: ToolResultMessage["details"], { channel, conversation }: Origin): boolean {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return false;
  const sent = details as JsonObject;
  return sent["channel"] === channel && sent["target"] === conversation.id;
}

/** Messages since the start of the last turn. */
export function turnMessages(history: readonly AgentMessage[]): readonly AgentMessage[] {
  return history.slice(history.findLastIndex(beginsTurn) + 1);
}

/** Texts that a resumed turn has already sent to its own origin. */
export function sentTextsOf(turn: readonly AgentMessage[], origin: Origin): readonly string[] {
  const results = new Map(turn.flatMap((message) => (message.role === "toolResult" ? [[message.toolCallId, message]] : [])));
  const calls = turn.flatMap((message) => (message.role === "assistant" ? message.content : []));
  return calls.flatMap((block) => {
    const result = block.type === "toolCall" ? results.get(block.id) : undefined;
    const text = block.type === "toolCall" && result !== undefined ? sentText(block, result, origin) : undefined;
    return text === undefined ? [] : [text];
  });
}
