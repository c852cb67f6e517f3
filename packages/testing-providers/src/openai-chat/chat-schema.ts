import type { JsonObject, JsonValue } from "../json.ts";
import {
  ANYTHING,
  BOOLEAN,
  EFFORT,
  FUNCTION_NAME,
  listOf,
  object,
  OBJECT,
  SHARED_FIELDS,
  STRING,
  tagged,
  textOr,
} from "../openai/request-schema.ts";

/** A separate rule decides which parts a role may send, because the vendor reports that differently. */
function part(textFields: Readonly<Record<string, JsonValue>>): JsonObject {
  return tagged("type", {
    text: object({ text: STRING, ...textFields }, ["text"]),
    image_url: object({ image_url: object({ url: STRING, detail: { enum: ["auto", "low", "high"] } }, ["url"]) }, ["image_url"]),
    refusal: object({ refusal: STRING }, ["refusal"]),
  });
}

const CALL = tagged("type", {
  function: object(
    { id: { type: "string", maxLength: 40 }, function: object({ name: FUNCTION_NAME, arguments: STRING }, ["name", "arguments"]) },
    ["id", "function"],
  ),
});

interface Dialect {
  readonly assistant: Readonly<Record<string, JsonValue>>;
  /** Of a block of text. */
  readonly text: Readonly<Record<string, JsonValue>>;
}

function messages({ assistant, text }: Dialect): JsonObject {
  const block = part(text);
  const said = object({ content: textOr(block), name: STRING }, ["content"]);
  return tagged("role", {
    developer: said,
    system: said,
    user: said,
    assistant: object({
      content: { type: ["string", "array", "null"], items: block },
      name: STRING,
      refusal: { type: ["string", "null"] },
      tool_calls: listOf(CALL, { minItems: 1 }),
      ...assistant,
    }),
    tool: object({ content: textOr(block), tool_call_id: { type: "string", maxLength: 40 } }, ["content", "tool_call_id"]),
  });
}

const TOOL = tagged("type", {
  function: object(
    { function: object({ name: FUNCTION_NAME, description: STRING, parameters: OBJECT, strict: { type: ["boolean", "null"] } }, ["name"]) },
    ["function"],
  ),
});

function body(message: JsonObject): JsonObject {
  return object(
    {
      ...SHARED_FIELDS,
      messages: listOf(message, { minItems: 1 }),
      frequency_penalty: { type: ["number", "null"], minimum: -2, maximum: 2 },
      presence_penalty: { type: ["number", "null"], minimum: -2, maximum: 2 },
      logit_bias: ANYTHING,
      logprobs: { type: ["boolean", "null"] },
      max_completion_tokens: { type: ["integer", "null"], minimum: 1 },
      max_tokens: { type: ["integer", "null"], minimum: 1 },
      modalities: ANYTHING,
      n: { type: ["integer", "null"], minimum: 1, maximum: 128 },
      prediction: ANYTHING,
      reasoning_effort: EFFORT,
      response_format: OBJECT,
      seed: { type: ["integer", "null"] },
      stop: { type: ["string", "array", "null"], items: STRING, maxItems: 4 },
      stream_options: object({ include_usage: BOOLEAN, include_obfuscation: BOOLEAN }),
      tool_choice: { type: ["string", "object"] },
      tools: listOf(TOOL, { minItems: 1, maxItems: 128 }),
      verbosity: { enum: ["low", "medium", "high", null] },
    },
    ["model", "messages"],
  );
}

/** The schema of the vendor's own endpoint. */
export const CHAT_SCHEMA: JsonObject = body(messages({ assistant: {}, text: {} }));

/** The fields of compatible servers: unknown ones, open thinking, null content with calls, marks for Anthropic's cache. */
export const COMPATIBLE_SCHEMA: JsonObject = {
  ...body(
    messages({
      assistant: { reasoning_content: { type: ["string", "null"] }, reasoning: { type: ["string", "null"] }, reasoning_details: ANYTHING },
      text: { cache_control: object({ type: { const: "ephemeral" }, ttl: { enum: ["5m", "1h"] } }, ["type"]) },
    }),
  ),
  additionalProperties: true,
};
