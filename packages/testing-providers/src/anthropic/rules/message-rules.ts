import { messageBlocks, type MessageView, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { firstOf } from "./field-rules.ts";

/** Whether the last message is the assistant's and may therefore be unfinished. */
function isPrefill(view: RequestView, message: MessageView): boolean {
  return message === view.messages.at(-1) && message.role === "assistant";
}

function textsOf(message: MessageView): string[] {
  return message.blocks.flatMap(({ type, value }) => (type === "text" && typeof value["text"] === "string" ? [value["text"]] : []));
}

/** Roles, order and text of the messages. Adjacent messages of one role are allowed: the vendor joins them. */
export const MESSAGE_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "messages-empty",
    description: "There is at least one message.",
    vendorText: "messages: at least one message is required",
    check: ({ body }) =>
      Array.isArray(body["messages"]) && body["messages"].length === 0 ? "messages: at least one message is required" : undefined,
  }),
  bodyRule({
    id: "role-system",
    description: "System text stands in the system field, never among the messages (this server models no beta that allows it).",
    vendorText: 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter …',
    check: ({ messages }) =>
      messages.some(({ role }) => role === "system")
        ? 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.'
        : undefined,
  }),
  bodyRule({
    id: "role-unknown",
    description: "A message is the user's or the assistant's.",
    vendorText: "messages.….role: Input should be 'user' or 'assistant'",
    check: ({ messages }) => {
      const wrong = messages.find(({ role }) => role !== undefined && role !== "user" && role !== "assistant" && role !== "system");
      return wrong === undefined ? undefined : `${wrong.path}.role: Input should be 'user' or 'assistant'`;
    },
  }),
  bodyRule({
    id: "first-message-user",
    description: "A conversation begins with the user.",
    vendorText: 'messages: first message must use the "user" role',
    check: ({ messages }) => (messages[0]?.role === "assistant" ? 'messages: first message must use the "user" role' : undefined),
  }),
  bodyRule({
    id: "content-empty",
    description: "Every message says something; only the assistant's unfinished last one may be empty.",
    vendorText: "messages.…: all messages must have non-empty content except for the optional final assistant message",
    check: (view) =>
      firstOf(view.messages, (message) => {
        const { content } = message.value;
        const empty = content === "" || (Array.isArray(content) && content.length === 0);
        return empty && !isPrefill(view, message)
          ? `${message.path}: all messages must have non-empty content except for the optional final assistant message`
          : undefined;
      }),
  }),
  bodyRule({
    id: "text-empty",
    description: "No text block is empty, in messages, tool results and the system prompt.",
    vendorText: "messages: text content blocks must be non-empty",
    check: (view) => {
      const isEmpty = ({ type, value }: { type: string; value: { readonly [key: string]: unknown } }): boolean =>
        type === "text" && value["text"] === "" && !value["cache_control"];
      if (view.system.some(isEmpty)) return "system: text content blocks must be non-empty";
      return [...messageBlocks(view)].some(isEmpty) ? "messages: text content blocks must be non-empty" : undefined;
    },
  }),
  bodyRule({
    id: "text-whitespace",
    description: "A message that has text has some that is not whitespace.",
    vendorText: "messages: text content blocks must contain non-whitespace text",
    check: ({ messages }) =>
      messages.some((message) => {
        const texts = textsOf(message);
        return texts.length > 0 && texts.every((text) => text !== "" && text.trim() === "");
      })
        ? "messages: text content blocks must contain non-whitespace text"
        : undefined,
  }),
  bodyRule({
    id: "user-citations",
    description: "In API version 2026-10-21 the user's text has no citations.",
    vendorText: "version 2026-10-21: a `text` block with `citations` in a `user` message is a 400",
    check: ({ messages, version }) =>
      version === "2026-10-21"
        ? firstOf(messages, ({ role, blocks }) => {
            const cited = blocks.find(({ value }) => Array.isArray(value["citations"]) && value["citations"].length > 0);
            return role === "user" && cited !== undefined ? `${cited.path}.text.citations: Extra inputs are not permitted` : undefined;
          })
        : undefined,
  }),
  bodyRule({
    id: "final-assistant-whitespace",
    description: "A last message of the assistant does not end in whitespace.",
    vendorText: "messages: final assistant content cannot end with trailing whitespace",
    check: (view) => {
      const last = view.messages.at(-1);
      if (last === undefined || !isPrefill(view, last) || last.blocks.at(-1)?.type !== "text") return undefined;
      const text = textsOf(last).at(-1) ?? "";
      return text.trim() !== "" && text.trimEnd() !== text
        ? "messages: final assistant content cannot end with trailing whitespace"
        : undefined;
    },
  }),
  bodyRule({
    id: "prefill",
    description: "The conversation ends with the user, for models that take no prefill.",
    vendorText: "This model does not support assistant message prefill. The conversation must end with a user message.",
    check: (view) =>
      view.model?.prefill === false && view.messages.at(-1)?.role === "assistant"
        ? "This model does not support assistant message prefill. The conversation must end with a user message."
        : undefined,
  }),
];
