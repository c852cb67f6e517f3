import { Ajv } from "ajv";
import { isJsonObject } from "../json.ts";
import { stringOf } from "../openai/read-body.ts";
import { readImageUrl } from "../server/data-url.ts";
import { bodyRule, type Finding, firstOf, type WireRule } from "../strict/rule.ts";
import type { MistralMessage, MistralView } from "./mistral-view.ts";

const CALL_ID = /^[a-zA-Z0-9]{9}$/;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_IMAGES = 8;

const metaSchema = new Ajv({ strict: false, validateFormats: false, logger: false });

function say(message: string): Finding {
  return { message };
}

function contentOf({ value, parts }: MistralMessage): boolean {
  return parts.length > 0 || stringOf(value["content"]) !== "";
}

function badName(name: string): Finding {
  return say(`Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`);
}

function badId(id: string): Finding {
  return say(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
}

const NAME_TEXT = "Function name was … but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.";
const ID_TEXT = "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.";

/** Rules for single messages and tools. */
export const CONTENT_RULES: readonly WireRule<MistralView>[] = [
  bodyRule<MistralView>({
    id: "system-content",
    description: "A system message has content.",
    vendorText: "System prompt must have content",
    check: ({ messages }) =>
      messages.some(({ role, value }) => role === "system" && value["content"] === null)
        ? say("System prompt must have content")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "assistant-empty",
    description: "The assistant says something or calls a tool.",
    vendorText: "Assistant message must have either content or tool_calls, but not none.",
    code: "3240",
    check: ({ messages }) =>
      messages.some((message) => message.role === "assistant" && !contentOf(message) && message.calls.length === 0)
        ? say("Assistant message must have either content or tool_calls, but not none.")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "assistant-prefix",
    description: "Only the last message may be one that is to be continued.",
    vendorText: "Assistant message with prefix True must be last message",
    code: "3240",
    check: ({ messages }) =>
      messages.slice(0, -1).some(({ value }) => value["prefix"] === true)
        ? say("Assistant message with prefix True must be last message")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "call-id-missing",
    description: "Every call has an id.",
    vendorText: "Tool call id has to be defined in serving mode.",
    code: "3280",
    check: ({ messages }) =>
      messages.some(({ calls }) => calls.some(({ id }) => id === "null"))
        ? say("Tool call id has to be defined in serving mode.")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "call-id",
    description: "A call's id has exactly nine letters and digits; a tool's message has the id of its call.",
    vendorText: ID_TEXT,
    code: "3280",
    check: ({ messages }) =>
      firstOf(
        messages.flatMap(({ calls }) => calls),
        ({ id }) => (id === "null" || CALL_ID.test(id) ? undefined : badId(id)),
      ),
  }),
  bodyRule<MistralView>({
    id: "call-name",
    description: "A call names its function with 1 to 64 letters, digits, _ and -.",
    vendorText: NAME_TEXT,
    code: "3280",
    check: ({ messages }) =>
      firstOf(
        messages.flatMap(({ calls }) => calls),
        ({ name }) => (FUNCTION_NAME.test(name) ? undefined : badName(name)),
      ),
  }),
  bodyRule<MistralView>({
    id: "tool-id-missing",
    description: "A tool's message names the call that it answers.",
    vendorText: "Tool call id has to be defined.",
    check: ({ messages }) =>
      messages.some(({ role, toolCallId }) => role === "tool" && toolCallId === undefined)
        ? say("Tool call id has to be defined.")
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "tool-name",
    description: "A tool's message names its function, if at all, with 1 to 64 letters, digits, _ and -.",
    vendorText: NAME_TEXT,
    code: "3250",
    check: ({ messages }) =>
      firstOf(messages, ({ role, value: { name } }) =>
        role === "tool" && typeof name === "string" && !FUNCTION_NAME.test(name) ? badName(name) : undefined,
      ),
  }),
  bodyRule<MistralView>({
    id: "function-name",
    description: "A declared function has a name of 1 to 64 letters, digits, _ and -.",
    vendorText: NAME_TEXT,
    code: "3260",
    check: ({ functions }) => firstOf(functions, ({ name }) => (FUNCTION_NAME.test(name) ? undefined : badName(name))),
  }),
  bodyRule<MistralView>({
    id: "function-schema",
    description: "A function's parameters are JSON Schema (draft 7).",
    vendorText: "Invalid tool schema: …",
    code: "3270",
    check: ({ functions }) =>
      firstOf(functions, ({ parameters: { $schema: _draft, ...schema } }) =>
        metaSchema.validateSchema(schema) === true ? undefined : say("Invalid tool schema: it is not valid under draft 7."),
      ),
  }),
  bodyRule<MistralView>({
    id: "model-unknown",
    description: "The model is one that the vendor has.",
    vendorText: "Invalid model: …",
    code: "1500",
    check: ({ model, modelId }) => (model === undefined ? say(`Invalid model: ${modelId}`) : undefined),
  }),
  bodyRule<MistralView>({
    id: "prompt-length",
    description: "The prompt fits into the model's window.",
    vendorText: "Prompt contains … tokens and 0 draft tokens, too large for model with … maximum context length",
    code: "3051",
    check: ({ model, promptTokens }) =>
      model !== undefined && promptTokens > model.contextWindow
        ? say(
            `Prompt contains ${promptTokens} tokens and 0 draft tokens, too large for model with ${model.contextWindow} maximum context length`,
          )
        : undefined,
  }),
  bodyRule<MistralView>({
    id: "image-readable",
    description: "An image is an address or a data URL with an image in it.",
    vendorText: "Image, …, could not be loaded as a valid image.",
    code: "3310",
    check: ({ messages }) =>
      firstOf(imagesOf(messages), (url) => {
        const image = readImageUrl(url);
        return image.type === "remote" || (image.type === "inline" && image.readable)
          ? undefined
          : say(`Image, '${url.slice(0, 40)}', could not be loaded as a valid image.`);
      }),
  }),
  bodyRule<MistralView>({
    id: "image-count",
    description: "A request has at most eight images.",
    vendorText: "The maximum number images per request via API is 8. (documentation of vision)",
    code: "3051",
    check: ({ messages }) =>
      [...imagesOf(messages)].length > MAX_IMAGES ? say(`Too many images: the maximum per request is ${MAX_IMAGES}.`) : undefined,
  }),
];

function* imagesOf(messages: readonly MistralMessage[]): Generator<string> {
  for (const { parts } of messages) {
    for (const { type, image_url: image } of parts) {
      if (type === "image_url") yield isJsonObject(image) ? stringOf(image["url"]) : stringOf(image);
    }
  }
}
