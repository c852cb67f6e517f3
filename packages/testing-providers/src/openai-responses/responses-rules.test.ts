import { expect } from "vitest";
import { type Edit } from "../../test/edit-body.ts";
import { ruleSuite } from "../../test/rule-suite.ts";
import { RESPONSES_SAMPLE } from "../../test/samples.ts";
import { checkOpenAiResponsesRequest, OPENAI_RESPONSES_RULES, startOpenAiResponsesServer } from "../index.ts";

const PLAIN: readonly Edit[] = [
  ["set", "input", "Hello"],
  ["set", "model", "gpt-4o"],
  ["remove", "reasoning"],
  ["remove", "include"],
];
const FN = "tools.0.parameters";
const STRICT = "tools.1.parameters";

ruleSuite({
  rules: OPENAI_RESPONSES_RULES,
  start: () => startOpenAiResponsesServer({ apiKey: "right" }),
  path: "/v1/responses",
  headers: { authorization: "Bearer right" },
  sample: RESPONSES_SAMPLE,
  check: checkOpenAiResponsesRequest,
  faults: [
    ["unknown-field", "Unknown parameter: 'thinking'.", [["set", "thinking", {}]]],
    ["unknown-field", "Unknown parameter: 'input[1].content[0].detail_level'.", [["set", "input.1.content.0.detail_level", 1]]],
    ["unknown-field", "Unknown parameter: 'tools[0].function'.", [["set", "tools.0.function", {}]]],
    ["unknown-field", "Unknown parameter: 'stream_options.include_usage'.", [["set", "stream_options", { include_usage: true }]]],
    ["field-missing", "Missing required parameter: 'input[3].call_id'.", [["remove", "input.3.call_id"]]],
    ["field-missing", "Missing required parameter: 'input[2].summary'.", [["remove", "input.2.summary"]]],
    ["field-missing", "Missing required parameter: 'input[8].role'.", [["remove", "input.8.role"]]],
    ["field-missing", "Missing required parameter: 'model'.", [["remove", "model"]]],
    ["field-type", "Invalid type for 'store': expected one of a boolean or null, but got a string instead.", [["set", "store", "no"]]],
    [
      "field-type",
      "Invalid type for 'input[3].arguments': expected a string, but got an object instead.",
      [["set", "input.3.arguments", {}]],
    ],
    [
      "field-value",
      "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
      [["set", "input.7.content.0.type", "input_text"]],
    ],
    ["field-value", "Invalid value: 'text'. Supported values are: 'input_text'", [["set", "input.1.content.1.type", "text"]]],
    [
      "field-value",
      "Invalid value: 'tool'. Supported values are: 'user', 'system', 'developer', 'assistant'.",
      [["set", "input.8.role", "tool"]],
    ],
    [
      "field-value",
      "Invalid value: 'tool_result'. Supported values are: 'message', 'function_call'",
      [["set", "input.6.type", "tool_result"]],
    ],
    ["field-value", "Invalid value: 'reasoning.everything'.", [["set", "include.0", "reasoning.everything"]]],
    [
      "string-too-long",
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      [["set", "prompt_cache_key", "k".repeat(65)]],
    ],
    ["string-too-long", "Invalid 'input[3].id': string too long.", [["set", "input.3.id", `fc_${"x".repeat(62)}`]]],
    ["string-empty", "Invalid 'input[3].name': empty string.", [["set", "input.3.name", ""]]],
    ["string-pattern", "Invalid 'input[3].name': string does not match pattern.", [["set", "input.3.name", "fs.ls"]]],
    [
      "list-too-long",
      "Invalid 'tools': array too long. Expected an array with maximum length 128",
      [["set", "tools", Array.from({ length: 129 }, (_, index) => ({ type: "function", name: `f${index}` }))]],
    ],
    ["number-too-large", "Expected a value <= 2, but got 2.5 instead.", [...PLAIN, ["set", "temperature", 2.5]]],
    [
      "number-too-small",
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
      [["set", "max_output_tokens", 15]],
    ],
    ["moved-parameter", "In the Responses API, this parameter has moved to 'input'.", [["set", "messages", []]]],
    ["moved-parameter", "this parameter has moved to 'max_output_tokens'.", [["set", "max_tokens", 10]]],
    ["model-unknown", "The requested model 'gpt-nobody' does not exist.", [...PLAIN, ["set", "model", "gpt-nobody"]]],
    ["input-missing", 'One of "input" or "previous_response_id"', [["remove", "input"]]],
    ["previous-response", "Previous response with id 'resp_1' not found.", [["set", "previous_response_id", "resp_1"]]],
    ["sampling-reasoning", "Unsupported parameter: 'temperature' is not supported with this model.", [["set", "temperature", 1]]],
    [
      "effort-unsupported",
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      [...PLAIN, ["set", "reasoning", { effort: "low" }]],
    ],
    [
      "encrypted-unsupported",
      "Encrypted content is not supported with this model.",
      [...PLAIN, ["set", "include", ["reasoning.encrypted_content"]]],
    ],
    ["prompt-length", "Your input exceeds the context window of this model.", [...PLAIN, ["set", "input", "word ".repeat(110_000)]]],
    [
      "tool-choice",
      "Tool choice 'function' not found in 'tools' parameter.",
      [["set", "tool_choice", { type: "function", name: "write" }]],
    ],
    ["schema-object", "got 'type: \"string\"'.", [["set", FN, { type: "string" }]]],
    [
      "schema-combinator",
      "at the top level",
      [
        ["set", `${FN}.oneOf`, []],
        ["set", `${FN}.oneOf`, [{}]],
      ],
    ],
    ["schema-valid", "is not valid under any of the given schemas", [["set", `${FN}.properties.path`, 5]]],
    ["schema-items", "In context=('properties', 'path'), array schema missing items.", [["set", `${FN}.properties.path.type`, "array"]]],
    [
      "strict-additional",
      "In context=(), 'additionalProperties' is required to be supplied and to be false.",
      [["remove", `${STRICT}.additionalProperties`]],
    ],
    ["strict-required", "Missing 'zone'.", [["set", `${STRICT}.properties.at.required`, []]]],
    ["strict-keyword", "'patternProperties' is not permitted.", [["set", `${STRICT}.properties.at.patternProperties`, {}]]],
    ["item-id-prefix", "Invalid 'input[3].id': 'call_a'. Expected an ID that begins with 'fc'.", [["set", "input.3.id", "call_a"]]],
    ["item-id-duplicate", "Duplicate item found with id fc_1.", [["set", "input.4.id", "fc_1"]]],
    [
      "item-stored",
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
      [["remove", "input.2.encrypted_content"]],
    ],
    ["item-stored", "Item with id 'msg_9' not found.", [["set", "input.7", { type: "item_reference", id: "msg_9" }]]],
    ["reasoning-sealed", "could not be decrypted or parsed.", [["set", "input.2.encrypted_content", "gAAAAAforeign"]]],
    ["reasoning-sealed", "item_id did not match the target item id.", [["set", "input.2.id", "rs_2"]]],
    [
      "reasoning-alone",
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      [["insert", "input.3", { role: "user", content: "Stop." }]],
    ],
    ["call-unanswered", "No tool output found for function call call_b.", [["remove", "input.6"]]],
    ["output-orphan", "No tool call found for function call output with call_id call_a.", [["remove", "input.3"]]],
    ["image-url", "Expected a valid URL", [["set", "input.1.content.0.image_url", "file:///a.png"]]],
    ["image-base64", "Invalid base64 image_url.", [["set", "input.1.content.0.image_url", "data:image/png;base64,%%%"]]],
    ["image-format", "You uploaded an unsupported image.", [["set", "input.1.content.0.image_url", "data:image/bmp;base64,AAAA"]]],
    [
      "image-format",
      "You uploaded an unsupported image.",
      [["insert", "input.5.output.0", { type: "input_image", image_url: "data:image/png;base64,AAAA" }]],
    ],
  ],
  transport: [
    ["endpoint", 404, { path: "/responses" }],
    ["endpoint", 404, { method: "GET", body: "" }],
    ["api-key-missing", 401, { headers: { authorization: undefined } }],
    ["api-key-invalid", 401, { headers: { authorization: "Bearer wrong" } }],
    ["content-type", 400, { headers: { "content-type": "text/plain" } }],
    ["json", 400, { body: "{" }],
  ],
  allowed: [
    ["text alone", [["set", "input", "Hi"]]],
    ["a call without an item id", [["remove", "input.3.id"]]],
    ["a thought without an id", [["remove", "input.2.id"]]],
    [
      "two thoughts in a row",
      [
        [
          "insert",
          "input.2",
          {
            type: "reasoning",
            summary: [],
            encrypted_content: (RESPONSES_SAMPLE["input"] as { encrypted_content: string }[])[2]?.encrypted_content ?? "",
          },
        ],
      ],
    ],
    ["a user between a call and its output", [["insert", "input.5", { role: "user", content: "Hurry." }]]],
    [
      "a temperature without effort",
      [
        ["set", "reasoning", { effort: "none" }],
        ["set", "temperature", 0.2],
      ],
    ],
    ["no tools", [["set", "tools", []]]],
    ["an image in an output", [["insert", "input.5.output.0", { type: "input_image", image_url: "https://example.org/a.png" }]]],
  ],
  statusOf: (rule) => (rule === "item-stored" ? 404 : 400),
  messageOf: (body) => {
    expect(body).toMatchObject({ error: { message: expect.any(String) as string, type: "invalid_request_error" } });
    expect(Object.keys(body["error"] as object)).toEqual(["message", "type", "param", "code"]);
    return (body["error"] as { readonly message: string }).message;
  },
});
