import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";
import type { MistralMessage, MistralView } from "./mistral-view.ts";

/** Which role may follow which. */
const FOLLOWERS: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

function say(message: string): Finding {
  return { message };
}

/** The unanswered calls of the assistant's last message at a position. */
function openCalls(
  messages: readonly MistralMessage[],
  end: number,
): { readonly expected: readonly string[]; readonly seen: readonly string[] } {
  const start = messages.slice(0, end).findLastIndex(({ role }) => role === "assistant");
  const expected = messages[start]?.calls.map(({ id }) => id) ?? [];
  const seen = messages
    .slice(start + 1, end)
    .flatMap(({ role, toolCallId }) => (role === "tool" && toolCallId !== undefined ? [toolCallId] : []));
  return { expected, seen };
}

/** The order of messages: code 3230. */
export const ORDER_RULES: readonly WireRule<MistralView>[] = [
  bodyRule<MistralView>({
    id: "messages-empty",
    description: "There is at least one message.",
    vendorText: "Conversation must have at least one message",
    code: "3230",
    check: ({ messages }) => (messages.length === 0 ? say("Conversation must have at least one message") : undefined),
  }),
  bodyRule<MistralView>({
    id: "first-message",
    description: "A lone message is the user's or the system's.",
    vendorText: "Conversation must start with a user message or system message",
    code: "3230",
    check: ({ messages }) =>
      messages.length === 1 && !["user", "system"].includes(messages[0]?.role ?? "")
        ? say("Conversation must start with a user message or system message")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "last-message",
    description: "The conversation ends with the user or a tool, or with an assistant's message that is to be continued (prefix).",
    vendorText: "Expected last role User or Tool (or Assistant with prefix True) for serving but got …",
    code: "3230",
    check: ({ messages }) => {
      const last = messages.at(-1);
      return messages.length > 1 && last?.role === "assistant" && last.value["prefix"] !== true
        ? say("Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
        : undefined;
    },
  }),
  bodyRule<MistralView>({
    id: "message-order",
    description: "A user's message does not follow a tool's, and a tool's follows only an assistant's or a tool's.",
    vendorText: "Unexpected role '…' after role '…'",
    code: "3230",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role }]) => {
        const before = messages[index - 1]?.role;
        return before !== undefined && FOLLOWERS[before]?.includes(role) === false
          ? say(`Unexpected role '${role}' after role '${before}'`)
          : undefined;
      }),
  }),
  bodyRule<MistralView>({
    id: "call-unanswered",
    description: "Every call is answered before the assistant speaks again, and before the end.",
    vendorText: "Not the same number of function calls and responses",
    code: "3230",
    check: ({ messages }) =>
      firstOf([...messages, undefined].entries(), ([index, message]) => {
        if (message !== undefined && message.role !== "assistant") return undefined;
        const { expected, seen } = openCalls(messages, index);
        return expected.some((id) => !seen.includes(id)) ? say("Not the same number of function calls and responses") : undefined;
      }),
  }),
  bodyRule<MistralView>({
    id: "tool-unexpected",
    description: "A tool's message answers a call of the last message of the assistant.",
    vendorText: "Unexpected tool call id … in tool results",
    code: "3230",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role, toolCallId }]) =>
        role === "tool" &&
        toolCallId !== undefined &&
        // A position where no tool message is allowed breaks the order.
        ["assistant", "tool"].includes(messages[index - 1]?.role ?? "") &&
        !openCalls(messages, index).expected.includes(toolCallId)
          ? say(`Unexpected tool call id ${toolCallId} in tool results`)
          : undefined,
      ),
  }),
  bodyRule<MistralView>({
    id: "tool-duplicate",
    description: "A call has one result.",
    vendorText: "Duplicate tool call id … in tool results",
    code: "3230",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role, toolCallId }]) =>
        role === "tool" && toolCallId !== undefined && openCalls(messages, index).seen.includes(toolCallId)
          ? say(`Duplicate tool call id ${toolCallId} in tool results`)
          : undefined,
      ),
  }),
  bodyRule<MistralView>({
    id: "call-duplicate",
    description: "No two calls of a message share an id.",
    vendorText: "Duplicate tool call id … in assistant message",
    code: "3230",
    check: ({ messages }) =>
      firstOf(messages, ({ calls }) => {
        const repeated = calls.find(({ id }, index) => calls.findIndex((other) => other.id === id) < index);
        return repeated === undefined ? undefined : say(`Duplicate tool call id ${repeated.id} in assistant message`);
      }),
  }),
];
