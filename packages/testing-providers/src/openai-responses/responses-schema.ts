import type { JsonObject } from "../json.ts";
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

const DETAIL = { enum: ["low", "high", "auto", "original"] };
const INPUT_PART = tagged("type", {
  input_text: object({ text: STRING }, ["text"]),
  input_image: object({ image_url: { type: ["string", "null"] }, file_id: { type: ["string", "null"] }, detail: DETAIL }),
  input_file: object({ file_id: STRING, file_data: STRING, file_url: STRING, filename: STRING }),
});
const OUTPUT_PART = tagged("type", {
  output_text: object({ text: STRING, annotations: listOf(OBJECT), logprobs: ANYTHING }, ["text"]),
  refusal: object({ refusal: STRING }, ["refusal"]),
});
const ITEM_STATUS = { enum: ["in_progress", "completed", "incomplete"] };
const ITEM_ID = { type: "string", minLength: 1, maxLength: 64 };
const CALL_ID = { type: "string", minLength: 1, maxLength: 64 };

const said = object({ type: STRING, content: textOr(INPUT_PART), status: ITEM_STATUS, id: ITEM_ID }, ["content"]);
const MESSAGE = tagged("role", {
  user: said,
  system: said,
  developer: said,
  assistant: object({ type: STRING, content: textOr(OUTPUT_PART), status: ITEM_STATUS, id: ITEM_ID, phase: ANYTHING }, ["content"]),
});

/** All items; the check adds the type of messages if it is omitted. */
const ITEM = tagged("type", {
  message: MESSAGE,
  function_call: object({ id: ITEM_ID, call_id: CALL_ID, name: FUNCTION_NAME, arguments: STRING, status: ITEM_STATUS, namespace: STRING }, [
    "call_id",
    "name",
    "arguments",
  ]),
  function_call_output: object({ id: ITEM_ID, call_id: CALL_ID, output: textOr(INPUT_PART), status: ITEM_STATUS }, ["call_id", "output"]),
  reasoning: object(
    {
      id: ITEM_ID,
      summary: listOf(tagged("type", { summary_text: object({ text: STRING }, ["text"]) })),
      content: ANYTHING,
      encrypted_content: { type: ["string", "null"] },
      status: ITEM_STATUS,
    },
    ["summary"],
  ),
  item_reference: object({ id: ITEM_ID }, ["id"]),
});

const TOOL = tagged("type", {
  function: object(
    {
      name: FUNCTION_NAME,
      description: { type: ["string", "null"] },
      parameters: { type: ["object", "null"] },
      strict: { type: ["boolean", "null"] },
      defer_loading: BOOLEAN,
    },
    ["name"],
  ),
});

/** The schema of the endpoint; of its items and tools those that the product sends. */
export const RESPONSES_SCHEMA: JsonObject = object(
  {
    ...SHARED_FIELDS,
    background: { type: ["boolean", "null"] },
    context_management: ANYTHING,
    conversation: ANYTHING,
    include: listOf({
      enum: [
        "file_search_call.results",
        "web_search_call.results",
        "web_search_call.action.sources",
        "message.input_image.image_url",
        "computer_call_output.output.image_url",
        "code_interpreter_call.outputs",
        "reasoning.encrypted_content",
        "message.output_text.logprobs",
      ],
    }),
    input: { type: ["string", "array"], items: ITEM },
    instructions: { type: ["string", "null"] },
    max_output_tokens: { type: ["integer", "null"], minimum: 16 },
    max_tool_calls: { type: ["integer", "null"] },
    previous_response_id: { type: ["string", "null"] },
    prompt: ANYTHING,
    reasoning: object({
      effort: EFFORT,
      summary: { enum: ["auto", "concise", "detailed", null] },
      generate_summary: ANYTHING,
      context: ANYTHING,
      mode: ANYTHING,
    }),
    stream_options: object({ include_obfuscation: BOOLEAN }),
    text: object({ format: OBJECT, verbosity: { enum: ["low", "medium", "high", null] } }),
    tool_choice: { type: ["string", "object"] },
    tools: listOf(TOOL, { maxItems: 128 }),
    truncation: { enum: ["auto", "disabled", null] },
    // Names of the older endpoint: a rule answers them with the new one.
    messages: ANYTHING,
    max_tokens: ANYTHING,
    max_completion_tokens: ANYTHING,
    response_format: ANYTHING,
    reasoning_effort: ANYTHING,
  },
  ["model"],
);
