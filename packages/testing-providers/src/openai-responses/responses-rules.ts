import { isJsonArray, isJsonObject, showJson } from "../json.ts";
import { FUNCTION_SCHEMA_RULES } from "../openai/function-schema-rules.ts";
import { type ImageView, openaiImageRules } from "../openai/image-rules.ts";
import { objectsOf } from "../openai/read-body.ts";
import { OPENAI_SHAPE_RULES } from "../openai/shape-rules.ts";
import { openaiTransportRules } from "../openai/transport-rules.ts";
import { bodyRule, firstOf, type WireRule } from "../strict/rule.ts";
import type { ItemView, ResponsesView } from "./responses-view.ts";
import { whySealIsBroken } from "./seal.ts";

function* imagesOf({ items }: ResponsesView): Generator<ImageView> {
  for (const { path, value } of items) {
    for (const field of ["content", "output"]) {
      for (const [index, part] of objectsOf(value[field]).entries()) {
        const url = part["image_url"];
        if (typeof url === "string") yield { param: `${path}.${field}[${index}].image_url`, url };
      }
    }
  }
}

/** Names that the vendor has changed since the older endpoint. */
const MOVED: Readonly<Record<string, string>> = {
  messages: "input",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  response_format: "text.format",
  reasoning_effort: "reasoning.effort",
};

const ID_PREFIX: Readonly<Record<string, string>> = { function_call: "fc", reasoning: "rs", message: "msg" };

/** Rules that depend on options and the model. */
const OPTION_RULES: readonly WireRule<ResponsesView>[] = [
  bodyRule<ResponsesView>({
    id: "moved-parameter",
    description: "Fields of Chat Completions have other names here.",
    vendorText: "Unsupported parameter: '…'. In the Responses API, this parameter has moved to '…'. …",
    code: "unsupported_parameter",
    check: ({ body }) =>
      firstOf(Object.entries(MOVED), ([old, now]) =>
        old in body
          ? { message: `Unsupported parameter: '${old}'. In the Responses API, this parameter has moved to '${now}'.`, param: old }
          : undefined,
      ),
  }),
  bodyRule<ResponsesView>({
    id: "model-unknown",
    description: "The model is one that the vendor has.",
    vendorText: "The requested model '…' does not exist.",
    code: "model_not_found",
    check: ({ model, modelId }) =>
      model === undefined ? { message: `The requested model '${modelId}' does not exist.`, param: "model" } : undefined,
  }),
  bodyRule<ResponsesView>({
    id: "input-missing",
    description: "There is something to answer.",
    vendorText: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
    code: "missing_required_parameter",
    check: ({ body }) =>
      body["input"] === undefined && !("messages" in body)
        ? { message: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided." }
        : undefined,
  }),
  bodyRule<ResponsesView>({
    id: "previous-response",
    description: "Nothing is kept on this server: the whole conversation comes with every request.",
    vendorText: "Previous response with id '…' not found.",
    code: "previous_response_not_found",
    check: ({ body }) =>
      typeof body["previous_response_id"] === "string"
        ? { message: `Previous response with id '${body["previous_response_id"]}' not found.`, param: "previous_response_id" }
        : undefined,
  }),
  bodyRule<ResponsesView>({
    id: "sampling-reasoning",
    description: "Reasoning models take no temperature and no top_p, unless their effort is none.",
    vendorText: "Unsupported parameter: '…' is not supported with this model.",
    check: ({ model, body }) => {
      const { reasoning } = body;
      const thinks = model?.reasoning === true && !(isJsonObject(reasoning) && reasoning["effort"] === "none");
      return firstOf(["temperature", "top_p"], (field) =>
        thinks && typeof body[field] === "number"
          ? { message: `Unsupported parameter: '${field}' is not supported with this model.`, param: field }
          : undefined,
      );
    },
  }),
  bodyRule<ResponsesView>({
    id: "effort-unsupported",
    description: "Only reasoning models take an effort or a summary.",
    vendorText: "Unsupported parameter: 'reasoning.…' is not supported with this model.",
    code: "unsupported_parameter",
    check: ({ model, body: { reasoning } }) =>
      firstOf(["effort", "summary"], (field) =>
        model?.reasoning === false && isJsonObject(reasoning) && typeof reasoning[field] === "string"
          ? { message: `Unsupported parameter: 'reasoning.${field}' is not supported with this model.`, param: `reasoning.${field}` }
          : undefined,
      ),
  }),
  bodyRule<ResponsesView>({
    id: "encrypted-unsupported",
    description: "Only reasoning models give encrypted thoughts.",
    vendorText: "Encrypted content is not supported with this model.",
    check: ({ model, body: { include } }) =>
      model?.reasoning === false && isJsonArray(include) && include.includes("reasoning.encrypted_content")
        ? { message: "Encrypted content is not supported with this model.", param: "include" }
        : undefined,
  }),
  bodyRule<ResponsesView>({
    id: "prompt-length",
    description: "The prompt fits into the model's window.",
    vendorText: "Your input exceeds the context window of this model. …",
    code: "context_length_exceeded",
    check: ({ model, promptTokens }) =>
      model !== undefined && promptTokens > model.contextWindow
        ? { message: "Your input exceeds the context window of this model. Please adjust your input and try again.", param: "input" }
        : undefined,
  }),
  bodyRule<ResponsesView>({
    id: "tool-choice",
    description: "A tool choice names a tool of the request.",
    vendorText: "Tool choice '…' not found in 'tools' parameter.",
    check: ({ body: { tool_choice: choice }, functions }) => {
      const forced = choice === "required" || isJsonObject(choice);
      const name = isJsonObject(choice) ? choice["name"] : undefined;
      const found = name === undefined ? functions.length > 0 : functions.some((fn) => fn.name === name);
      return forced && !found
        ? {
            message: `Tool choice '${isJsonObject(choice) ? showJson(choice["type"]) : "required"}' not found in 'tools' parameter.`,
            param: "tool_choice",
          }
        : undefined;
    },
  }),
];

/** The next item that a reasoning item can belong to. */
function isOutput(item: ItemView | undefined): boolean {
  if (item === undefined) return false;
  if (item.type === "message") return item.value["role"] === "assistant";
  return item.type === "function_call" || item.type === "reasoning";
}

/** Items and how they belong together. */
const ITEM_RULES: readonly WireRule<ResponsesView>[] = [
  bodyRule<ResponsesView>({
    id: "item-id-prefix",
    description: "An item's id begins as its kind has it: fc, rs, msg.",
    vendorText: "Invalid 'input[…].id': '…'. Expected an ID that begins with '…'.",
    code: "invalid_value",
    check: ({ items }) =>
      firstOf(items, ({ path, type, id, value }) => {
        const prefix = type === "message" && value["role"] !== "assistant" ? undefined : ID_PREFIX[type];
        return prefix !== undefined && id !== undefined && !id.startsWith(prefix)
          ? { message: `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`, param: `${path}.id` }
          : undefined;
      }),
  }),
  bodyRule<ResponsesView>({
    id: "item-id-duplicate",
    description: "No two items share an id.",
    vendorText: "Duplicate item found with id …. Remove duplicate items from your input and try again.",
    check: ({ items }) => {
      const seen = new Set<string>();
      return firstOf(items, ({ id }) => {
        if (id === undefined) return undefined;
        const repeated = seen.has(id);
        seen.add(id);
        return repeated
          ? { message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`, param: "input" }
          : undefined;
      });
    },
  }),
  bodyRule<ResponsesView>({
    id: "item-stored",
    description: "No item is one that only the vendor could have kept: references, thoughts without their encrypted content.",
    vendorText: "Item with id '…' not found. Items are not persisted when `store` is set to false. …",
    errorType: "not-found",
    check: ({ items }) =>
      firstOf(items, ({ type, id, value }) =>
        type === "item_reference" || (type === "reasoning" && typeof value["encrypted_content"] !== "string")
          ? {
              message:
                `Item with id '${id ?? ""}' not found. Items are not persisted when \`store\` is set to false. ` +
                "Try again with `store` set to true, or remove this item from your input.",
              param: "input",
            }
          : undefined,
      ),
  }),
  bodyRule<ResponsesView>({
    id: "reasoning-sealed",
    description: "Encrypted thoughts come back as they were given, with their own id.",
    vendorText: "The encrypted content for item … could not be verified. Reason: ….",
    code: "invalid_encrypted_content",
    check: ({ items }) =>
      firstOf(items, ({ type, id, value }) => {
        const sealed = value["encrypted_content"];
        const reason = type === "reasoning" && typeof sealed === "string" ? whySealIsBroken(sealed, id) : undefined;
        return reason === undefined
          ? undefined
          : { message: `The encrypted content for item ${id ?? ""} could not be verified. Reason: ${reason}` };
      }),
  }),
  bodyRule<ResponsesView>({
    id: "reasoning-alone",
    description: "A thought is followed by what the model said or called after it.",
    vendorText: "Item '…' of type 'reasoning' was provided without its required following item.",
    check: ({ items }) =>
      firstOf(items.entries(), ([index, { type, id }]) =>
        type === "reasoning" && !isOutput(items[index + 1])
          ? { message: `Item '${id ?? ""}' of type 'reasoning' was provided without its required following item.`, param: "input" }
          : undefined,
      ),
  }),
  bodyRule<ResponsesView>({
    id: "call-unanswered",
    description: "Every call has its output.",
    vendorText: "No tool output found for function call ….",
    check: ({ items }) =>
      firstOf(items.entries(), ([index, { type, callId }]) =>
        type === "function_call" && !items.slice(index + 1).some((item) => item.type === "function_call_output" && item.callId === callId)
          ? { message: `No tool output found for function call ${callId}.`, param: "input" }
          : undefined,
      ),
  }),
  bodyRule<ResponsesView>({
    id: "output-orphan",
    description: "Every output answers a call before it.",
    vendorText: "No tool call found for function call output with call_id ….",
    check: ({ items }) =>
      firstOf(items.entries(), ([index, { type, callId }]) =>
        type === "function_call_output" && !items.slice(0, index).some((item) => item.type === "function_call" && item.callId === callId)
          ? { message: `No tool call found for function call output with call_id ${callId}.`, param: "input" }
          : undefined,
      ),
  }),
];

/** Every rule, in the order in which a refusal is chosen. */
export const OPENAI_RESPONSES_RULES: readonly WireRule<ResponsesView>[] = [
  ...openaiTransportRules("/v1/responses", { keyNeeded: true }),
  // No list of this endpoint must have an entry.
  ...OPENAI_SHAPE_RULES.filter(({ id }) => id !== "list-empty"),
  ...OPTION_RULES,
  ...FUNCTION_SCHEMA_RULES,
  ...ITEM_RULES,
  ...openaiImageRules(imagesOf),
];
