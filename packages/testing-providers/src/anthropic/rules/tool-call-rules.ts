import { isJsonObject } from "../../json.ts";
import { blocksOfType, type BlockView, type MessageView, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { firstOf } from "./field-rules.ts";

function textField(block: BlockView, field: string): string {
  const value = block.value[field];
  return typeof value === "string" ? value : "";
}

function callIds(message: MessageView | undefined): string[] {
  return message?.role === "assistant"
    ? message.blocks.flatMap((block) => (block.type === "tool_use" ? [textField(block, "id")] : []))
    : [];
}

function results(message: MessageView | undefined): BlockView[] {
  return message?.role === "user" ? message.blocks.filter((block) => block.type === "tool_result") : [];
}

function unanswered(path: string, ids: readonly string[]): string {
  return (
    `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. ` +
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
  );
}

function* turns(view: RequestView): Generator<{ call: MessageView | undefined; answer: MessageView }> {
  for (const [index, answer] of view.messages.entries()) yield { call: view.messages[index - 1], answer };
}

/** Tool calls and their results, which are matched message by message. */
export const TOOL_CALL_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "tool-use-id",
    description: "A call's id has letters, digits, _ and - only.",
    vendorText: "messages.….tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    check: (view) => {
      const fields = [["tool_use", "id"] as const, ["tool_result", "tool_use_id"] as const];
      return firstOf(fields, ([type, field]) =>
        firstOf(blocksOfType(view, type), (block) =>
          typeof block.value[field] !== "string" || /^[a-zA-Z0-9_-]+$/.test(block.value[field])
            ? undefined
            : `${block.path}.${type}.${field}: String should match pattern '^[a-zA-Z0-9_-]+$'`,
        ),
      );
    },
  }),
  bodyRule({
    id: "tool-use-id-unique",
    description: "No two calls of a conversation share an id.",
    vendorText: "messages.…: `tool_use` ids must be unique",
    check: (view) => {
      const seen = new Set<string>();
      return firstOf(blocksOfType(view, "tool_use"), (block) => {
        const id = textField(block, "id");
        const repeated = seen.has(id);
        seen.add(id);
        return repeated ? `${block.path}: \`tool_use\` ids must be unique` : undefined;
      });
    },
  }),
  bodyRule({
    id: "tool-use-name",
    description: "A call's tool name has 1 to 200 characters.",
    vendorText: "messages.….tool_use.name: String should have at most 200 characters",
    check: (view) =>
      firstOf(blocksOfType(view, "tool_use"), (block) => {
        const { name } = block.value;
        if (name === "") return `${block.path}.tool_use.name: String should have at least 1 character`;
        return typeof name === "string" && name.length > 200
          ? `${block.path}.tool_use.name: String should have at most 200 characters`
          : undefined;
      }),
  }),
  bodyRule({
    id: "tool-use-input",
    description: "A call's input is an object.",
    vendorText: "messages.….tool_use.input: Input should be a valid dictionary",
    check: (view) =>
      firstOf(blocksOfType(view, "tool_use"), ({ path, value }) =>
        "input" in value && !isJsonObject(value["input"]) ? `${path}.tool_use.input: Input should be a valid dictionary` : undefined,
      ),
  }),
  bodyRule({
    id: "tool-result-missing",
    description: "Every call is answered in the very next message.",
    vendorText: "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …",
    check: (view) =>
      firstOf(view.messages.entries(), ([index, message]) => {
        const answered = new Set(results(view.messages[index + 1]).map((block) => textField(block, "tool_use_id")));
        const missing = callIds(message).filter((id) => !answered.has(id));
        return missing.length === 0 ? undefined : unanswered(message.path, missing);
      }),
  }),
  bodyRule({
    id: "tool-result-unexpected",
    description: "A result answers a call of the message before it.",
    vendorText: "messages.…: unexpected `tool_use_id` found in `tool_result` blocks: …",
    check: (view) =>
      firstOf(turns(view), ({ call, answer }) => {
        const known = new Set(callIds(call));
        const orphan = results(answer).find((block) => "tool_use_id" in block.value && !known.has(textField(block, "tool_use_id")));
        return orphan === undefined
          ? undefined
          : `${orphan.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textField(orphan, "tool_use_id")}. ` +
              "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
      }),
  }),
  bodyRule({
    id: "tool-result-duplicate",
    description: "A call has one result.",
    vendorText: "messages.…: each tool_use must have a single result. Found multiple `tool_result` blocks with id: …",
    check: (view) =>
      firstOf(view.messages, (message) => {
        const seen = new Set<string>();
        return firstOf(results(message), (block) => {
          const id = textField(block, "tool_use_id");
          const repeated = seen.has(id);
          seen.add(id);
          return repeated
            ? `${block.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
            : undefined;
        });
      }),
  }),
  bodyRule({
    id: "tool-result-first",
    description: "In a message with results these come first; text and images follow.",
    vendorText: "messages.…: `tool_use` ids were found without `tool_result` blocks immediately after: …",
    check: (view) =>
      firstOf(turns(view), ({ call, answer }) => {
        const late = results(answer).filter((block) =>
          answer.blocks.some((other) => other.type !== "tool_result" && before(answer, other, block)),
        );
        const ids = late.map((block) => textField(block, "tool_use_id"));
        return call === undefined || ids.length === 0 ? undefined : unanswered(call.path, ids);
      }),
  }),
  bodyRule({
    id: "tool-result-content",
    description: "A result holds text and images.",
    vendorText: "messages.….tool_result.content.…: Input tag '…' found using 'type' does not match any of the expected tags",
    check: (view) =>
      firstOf(blocksOfType(view, "tool_result"), ({ nested }) =>
        firstOf(nested, ({ path, type }) =>
          ["tool_use", "tool_result", "thinking", "redacted_thinking"].includes(type)
            ? `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'image'`
            : undefined,
        ),
      ),
  }),
  bodyRule({
    id: "tool-result-error",
    description: "A result that is an error holds text only.",
    vendorText: 'messages.….tool_result: all content must be type "text" if `is_error` is true',
    check: (view) =>
      firstOf(blocksOfType(view, "tool_result"), ({ path, value, nested }) =>
        value["is_error"] === true && nested.some(({ type }) => type === "image")
          ? `${path}.tool_result: all content must be type "text" if \`is_error\` is true`
          : undefined,
      ),
  }),
];

function before(message: MessageView, left: BlockView, right: BlockView): boolean {
  return message.blocks.indexOf(left) < message.blocks.indexOf(right);
}
