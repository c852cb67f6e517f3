import type { JsonObject } from "../json.ts";
import { ANYTHING, BOOLEAN, listOf, object, OBJECT, STRING, tagged } from "../openai/request-schema.ts";

const PART: JsonObject = tagged("type", {
  text: object({ text: STRING }, ["text"]),
  image_url: object({ image_url: { type: ["string", "object"], properties: { url: STRING, detail: ANYTHING }, required: ["url"] } }, [
    "image_url",
  ]),
  document_url: object({ document_url: STRING, document_name: STRING }, ["document_url"]),
  reference: object({ reference_ids: listOf(ANYTHING) }, ["reference_ids"]),
  thinking: object({ thinking: listOf(OBJECT), closed: BOOLEAN, signature: ANYTHING }, ["thinking"]),
});

const CONTENT: JsonObject = { type: ["string", "array", "null"], items: PART };

const CALL = object(
  {
    id: STRING,
    type: { const: "function" },
    index: { type: "integer" },
    function: object({ name: STRING, arguments: { type: ["string", "object"] } }, ["name", "arguments"]),
  },
  ["function"],
);

const MESSAGE = tagged("role", {
  system: object({ content: CONTENT }, ["content"]),
  user: object({ content: CONTENT }, ["content"]),
  assistant: object({ content: CONTENT, tool_calls: { type: ["array", "null"], items: CALL }, prefix: BOOLEAN }),
  tool: object({ content: CONTENT, tool_call_id: { type: ["string", "null"] }, name: { type: ["string", "null"] } }, ["content"]),
});

const TOOL = object(
  {
    type: { const: "function" },
    function: object({ name: STRING, description: STRING, strict: BOOLEAN, parameters: OBJECT }, ["name", "parameters"]),
  },
  ["function"],
);

/** The schema of the endpoint. */
export const MISTRAL_SCHEMA: JsonObject = object(
  {
    model: STRING,
    messages: listOf(MESSAGE),
    temperature: { type: ["number", "null"], minimum: 0, maximum: 1.5 },
    top_p: { type: ["number", "null"], minimum: 0, maximum: 1 },
    max_tokens: { type: ["integer", "null"], minimum: 0 },
    stream: BOOLEAN,
    stop: { type: ["string", "array", "null"], items: STRING },
    random_seed: { type: ["integer", "null"], minimum: 0 },
    metadata: { type: ["object", "null"] },
    response_format: OBJECT,
    tools: { type: ["array", "null"], items: TOOL },
    tool_choice: { type: ["string", "object"] },
    presence_penalty: { type: "number", minimum: -2, maximum: 2 },
    frequency_penalty: { type: "number", minimum: -2, maximum: 2 },
    n: { type: ["integer", "null"], minimum: 1 },
    prediction: OBJECT,
    parallel_tool_calls: BOOLEAN,
    prompt_mode: ANYTHING,
    reasoning_effort: ANYTHING,
    guardrails: ANYTHING,
    prompt_cache_key: { type: ["string", "null"] },
    safe_prompt: BOOLEAN,
    service_tier: ANYTHING,
    document_image_limit: ANYTHING,
    document_page_limit: ANYTHING,
  },
  ["model", "messages"],
);
