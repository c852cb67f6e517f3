import type { AgentMessage, UserMessage } from "@factotum/agent-contract";

/** Replaces the text of a message that was sent again. */
export const SENT_AGAIN = "[this message failed and was sent again; its text is below]";

/**
 * Replaces the text of each failed message that a later one repeats, so that the text is in the history once. The answers and tool calls of the failed turn
 * stay, and every message keeps its index. `prompt`: the current message, which follows the history; `isChanged` is true if it repeats one of them, which is
 * the named break `retry`. Other messages are returned as the same objects. Pure.
 */
export function supersedeRetried(
  messages: readonly AgentMessage[],
  prompt: UserMessage | undefined,
): { readonly messages: readonly AgentMessage[]; readonly isChanged: boolean } {
  const promptOf = retryOf(prompt);
  const retried = new Set([...messages.map(retryOf), promptOf].filter((event) => event !== undefined));
  if (retried.size === 0) return { messages, isChanged: false };
  const last = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const event = eventOf(message);
    if (event !== undefined && retried.has(event)) last.set(event, index);
  }
  const isChanged = promptOf !== undefined && last.has(promptOf);
  if (promptOf !== undefined) last.delete(promptOf);
  const shown = messages.map((message, index): AgentMessage => {
    const event = eventOf(message);
    if (message.role !== "user" || event === undefined || !retried.has(event) || last.get(event) === index) return message;
    return { ...message, content: [{ type: "text", text: SENT_AGAIN }] };
  });
  return { messages: shown, isChanged };
}

/** The event of the first attempt at a message. */
function eventOf(message: AgentMessage): string | undefined {
  return retryOf(message) ?? (message.role === "user" ? message.parts?.source?.eventId : undefined);
}

function retryOf(message: AgentMessage | undefined): string | undefined {
  return message?.role === "user" ? message.parts?.source?.retryOf : undefined;
}
