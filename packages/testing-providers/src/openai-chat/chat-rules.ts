import { isJsonArray, isJsonObject } from "../json.ts";
import { FUNCTION_SCHEMA_RULES } from "../openai/function-schema-rules.ts";
import { type ImageView, openaiImageRules } from "../openai/image-rules.ts";
import { stringOf } from "../openai/read-body.ts";
import { OPENAI_SHAPE_RULES } from "../openai/shape-rules.ts";
import { openaiTransportRules } from "../openai/transport-rules.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";
import type { ChatMessage, ChatView } from "./chat-view.ts";

function* imagesOf({ messages }: ChatView): Generator<ImageView> {
  for (const [index, { role, parts }] of messages.entries()) {
    if (role !== "user") continue;
    for (const [position, part] of parts.entries()) {
      const image = part["image_url"];
      if (part["type"] === "image_url" && isJsonObject(image)) {
        yield { param: `messages[${index}].content[${position}].image_url.url`, url: stringOf(image["url"]) };
      }
    }
  }
}

/** The tool messages directly after a message. */
function answersAfter(messages: readonly ChatMessage[], index: number): readonly string[] {
  const after = messages.slice(index + 1);
  const end = after.findIndex(({ role }) => role !== "tool");
  return (end === -1 ? after : after.slice(0, end)).map(({ value }) => stringOf(value["tool_call_id"]));
}

/** The calls that a tool message may answer: of the assistant's message before its run of tool messages. */
function openCalls(messages: readonly ChatMessage[], index: number): readonly string[] {
  const caller = messages.slice(0, index).findLast(({ role }) => role !== "tool");
  return caller?.role === "assistant" ? caller.callIds : [];
}

/** Calls and their results. Every server that copies the endpoint has these, too. */
const CALL_RULES: readonly WireRule<ChatView>[] = [
  bodyRule<ChatView>({
    id: "assistant-empty",
    description: "The assistant says something or calls a tool.",
    vendorText: "Invalid value for 'content': expected a string, got null.",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role, value, callIds }]) => {
        const { content, refusal } = value;
        const silent = content === undefined || content === null;
        return role === "assistant" && silent && callIds.length === 0 && (refusal === undefined || refusal === null)
          ? { message: "Invalid value for 'content': expected a string, got null.", param: `messages.[${index}].content` }
          : undefined;
      }),
  }),
  bodyRule<ChatView>({
    id: "call-unanswered",
    description: "Every call is answered by a tool message directly after the assistant's message.",
    vendorText: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. …",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { callIds }]) => {
        const answered = answersAfter(messages, index);
        const missing = callIds.filter((id) => !answered.includes(id));
        return missing.length === 0
          ? undefined
          : {
              message:
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
                `The following tool_call_ids did not have response messages: ${missing.join(", ")}`,
              param: `messages.[${index + 1}].role`,
            };
      }),
  }),
  bodyRule<ChatView>({
    id: "tool-orphan",
    description: "A tool message answers a call of the assistant's message before it.",
    vendorText: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role, value }]) =>
        role === "tool" && !openCalls(messages, index).includes(stringOf(value["tool_call_id"]))
          ? {
              message: "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
              param: `messages.[${index}].role`,
            }
          : undefined,
      ),
  }),
  bodyRule<ChatView>({
    id: "call-id-duplicate",
    description: "No two calls of a message and no two results share an id.",
    vendorText: "Duplicate value for 'tool_call_id' of '…' in message[…]",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { callIds }]): Finding | undefined => {
        const answered = answersAfter(messages, index);
        const repeated = [callIds, callIds.length === 0 ? [] : answered].map((ids) => ids.find((id, place) => ids.indexOf(id) !== place));
        const id = repeated[0] ?? repeated[1];
        return id === undefined
          ? undefined
          : { message: `Duplicate value for 'tool_call_id' of '${id}' in message[${index}]`, param: `messages.[${index}]` };
      }),
  }),
  bodyRule<ChatView>({
    id: "image-role",
    description: "Images are the user's: neither a tool's result nor the assistant has any.",
    vendorText:
      "Invalid 'messages[…]'. Image URLs are only allowed for messages with role 'user', but this message with role '…' contains an image URL.",
    code: "invalid_value",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role, parts }]) =>
        role !== "user" && parts.some(({ type }) => type === "image_url")
          ? {
              message:
                `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', ` +
                `but this message with role '${role}' contains an image URL.`,
              param: `messages[${index}]`,
            }
          : undefined,
      ),
  }),
];

function unsupported(param: string, words: string): Finding {
  return { message: words, param };
}

/** Rules that depend on the model and on other options; copies of the endpoint differ here. */
const OPTION_RULES: readonly WireRule<ChatView>[] = [
  bodyRule<ChatView>({
    id: "model-unknown",
    description: "The model is one that the vendor has.",
    vendorText: "The model `…` does not exist or you do not have access to it.",
    errorType: "not-found",
    code: "model_not_found",
    check: ({ model, modelId }) =>
      model === undefined ? { message: `The model \`${modelId}\` does not exist or you do not have access to it.` } : undefined,
  }),
  bodyRule<ChatView>({
    id: "max-tokens-reasoning",
    description: "Reasoning models take max_completion_tokens in place of max_tokens.",
    vendorText: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    code: "unsupported_parameter",
    check: ({ model, body }) =>
      model?.reasoning === true && typeof body["max_tokens"] === "number"
        ? unsupported(
            "max_tokens",
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          )
        : undefined,
  }),
  bodyRule<ChatView>({
    id: "sampling-reasoning",
    description: "Reasoning models take no temperature and no top_p but 1.",
    vendorText: "Unsupported value: '…' does not support … with this model. Only the default (1) value is supported.",
    code: "unsupported_value",
    check: ({ model, body }) =>
      firstOf(["temperature", "top_p"], (field) => {
        const value = body[field];
        return model?.reasoning === true && body["reasoning_effort"] !== "none" && typeof value === "number" && value !== 1
          ? unsupported(
              field,
              `Unsupported value: '${field}' does not support ${value} with this model. Only the default (1) value is supported.`,
            )
          : undefined;
      }),
  }),
  bodyRule<ChatView>({
    id: "effort-unsupported",
    description: "Only reasoning models take an effort.",
    vendorText: "Unrecognized request argument supplied: reasoning_effort",
    check: ({ model, body }) =>
      model?.reasoning === false && typeof body["reasoning_effort"] === "string"
        ? { message: "Unrecognized request argument supplied: reasoning_effort" }
        : undefined,
  }),
  bodyRule<ChatView>({
    id: "max-tokens-large",
    description: "No more output is asked for than the model can give.",
    vendorText: "max_tokens is too large: …. This model supports at most … completion tokens, whereas you provided ….",
    code: "invalid_value",
    check: ({ model, body }) =>
      firstOf(["max_tokens", "max_completion_tokens"], (field) => {
        const asked = body[field];
        const most = model?.maxOutput ?? Number.POSITIVE_INFINITY;
        return typeof asked === "number" && asked > most
          ? {
              message: `${field} is too large: ${asked}. This model supports at most ${most} completion tokens, whereas you provided ${asked}.`,
              param: field,
            }
          : undefined;
      }),
  }),
  bodyRule<ChatView>({
    id: "prompt-length",
    description: "The prompt fits into the model's window.",
    vendorText: "This model's maximum context length is … tokens. However, your messages resulted in … tokens.",
    code: "context_length_exceeded",
    check: ({ model, promptTokens }) =>
      model !== undefined && promptTokens > model.contextWindow
        ? {
            message:
              `This model's maximum context length is ${model.contextWindow} tokens. However, your messages resulted in ` +
              `${promptTokens} tokens. Please reduce the length of the messages.`,
            param: "messages",
          }
        : undefined,
  }),
  bodyRule<ChatView>({
    id: "stream-options",
    description: "Options of a stream come with a stream only.",
    vendorText: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    check: ({ body }) =>
      body["stream_options"] !== undefined && body["stream"] !== true
        ? { message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param: "stream_options" }
        : undefined,
  }),
  bodyRule<ChatView>({
    id: "tools-missing",
    description: "What concerns tools comes with tools only.",
    vendorText: "'…' is only allowed when 'tools' are specified.",
    check: ({ body }) =>
      firstOf(["tool_choice", "parallel_tool_calls"], (field) =>
        body[field] !== undefined && !isJsonArray(body["tools"])
          ? { message: `'${field}' is only allowed when 'tools' are specified.`, param: field }
          : undefined,
      ),
  }),
];

/** Every rule of the vendor's own endpoint, in the order in which a refusal is chosen. */
export const OPENAI_CHAT_RULES: readonly WireRule<ChatView>[] = [
  ...openaiTransportRules("/v1/chat/completions", { keyNeeded: true }),
  ...OPENAI_SHAPE_RULES,
  ...OPTION_RULES,
  ...FUNCTION_SCHEMA_RULES,
  ...CALL_RULES,
  ...openaiImageRules(imagesOf),
];

/** The rules common to compatible servers: pairing and shape, but any model and no strict mode. */
export const COMPATIBLE_CHAT_RULES: readonly WireRule<ChatView>[] = [
  ...openaiTransportRules("/v1/chat/completions", { keyNeeded: false }),
  ...OPENAI_SHAPE_RULES,
  bodyRule<ChatView>({
    id: "system-first",
    description: "There is one system message, and it comes first: chat templates of local models have no place for another.",
    vendorText: "System message must be at the beginning.",
    check: ({ messages }) =>
      firstOf(messages.entries(), ([index, { role }]) =>
        role === "system" && index > 0 ? { message: "System message must be at the beginning.", param: `messages[${index}]` } : undefined,
      ),
  }),
  ...CALL_RULES,
  ...openaiImageRules(imagesOf),
];
