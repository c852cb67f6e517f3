import { describe, expect, test } from "vitest";
import type { Edit } from "../../test/edit-body.ts";
import { editBody } from "../../test/edit-body.ts";
import { type RuleCases, ruleSuite } from "../../test/rule-suite.ts";
import { CHAT_SAMPLE } from "../../test/samples.ts";
import { checkOpenAiChatRequest, COMPATIBLE_CHAT_RULES, type JsonObject, OPENAI_CHAT_RULES, startOpenAiChatServer } from "../index.ts";

const PLAIN: readonly Edit[] = [
  ["set", "messages", [{ role: "user", content: "Hello" }]],
  ["set", "model", "gpt-4o"],
  ["remove", "reasoning_effort"],
];
const FN = "tools.0.function.parameters";
const STRICT = "tools.1.function.parameters";

const SHAPE: RuleCases["faults"] = [
  ["unknown-field", "Unknown parameter: 'thinking'.", [["set", "thinking", { type: "enabled" }]]],
  ["unknown-field", "Unknown parameter: 'messages[5].reasoning_content'.", [["set", "messages.5.reasoning_content", "hm"]]],
  ["unknown-field", "Unknown parameter: 'tools[0].cache_control'.", [["set", "tools.0.cache_control", {}]]],
  ["field-missing", "Missing required parameter: 'messages'.", [["remove", "messages"]]],
  ["field-missing", "Missing required parameter: 'model'.", [["remove", "model"]]],
  ["field-missing", "Missing required parameter: 'messages[3].tool_call_id'.", [["remove", "messages.3.tool_call_id"]]],
  ["field-missing", "Missing required parameter: 'messages[0].role'.", [["remove", "messages.0.role"]]],
  ["field-type", "Invalid type for 'stream': expected one of a boolean or null, but got a string instead.", [["set", "stream", "yes"]]],
  [
    "field-type",
    "Invalid type for 'messages[0].content': expected one of a string or an array, but got null instead.",
    [["set", "messages.0.content", null]],
  ],
  [
    "field-type",
    "Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string",
    [["set", "messages.2.tool_calls.0.function.arguments", {}]],
  ],
  [
    "field-value",
    "Invalid value: 'human'. Supported values are: 'developer', 'system', 'user', 'assistant', 'tool'.",
    [["set", "messages.6.role", "human"]],
  ],
  ["field-value", "Invalid value: 'input_text'.", [["set", "messages.1.content.1.type", "input_text"]]],
  ["field-value", "Invalid value: 'extreme'.", [["set", "reasoning_effort", "extreme"]]],
  [
    "string-too-long",
    "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    [["set", "prompt_cache_key", "k".repeat(65)]],
  ],
  [
    "string-too-long",
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40",
    [
      ["set", "messages.2.tool_calls.0.id", "c".repeat(41)],
      ["set", "messages.3.tool_call_id", "call_a"],
    ],
  ],
  ["string-too-long", "Invalid 'tools[0].function.name': string too long", [["set", "tools.0.function.name", "n".repeat(65)]]],
  ["string-empty", "Invalid 'tools[0].function.name': empty string.", [["set", "tools.0.function.name", ""]]],
  ["string-pattern", "Invalid 'tools[0].function.name': string does not match pattern.", [["set", "tools.0.function.name", "fs.ls"]]],
  [
    "list-too-long",
    "Invalid 'stop': array too long. Expected an array with maximum length 4",
    [["set", "stop", ["a", "b", "c", "d", "e"]]],
  ],
  ["list-empty", "Invalid 'messages': empty array.", [["set", "messages", []]]],
  ["list-empty", "Invalid 'tools': empty array.", [["set", "tools", []]]],
  ["list-empty", "Invalid 'messages[2].tool_calls': empty array.", [["set", "messages.2.tool_calls", []]]],
  [
    "number-too-large",
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
    [...PLAIN, ["set", "temperature", 3]],
  ],
  ["number-too-small", "Invalid 'max_completion_tokens': integer below minimum value.", [["set", "max_completion_tokens", 0]]],
];

const CALLS: RuleCases["faults"] = [
  ["assistant-empty", "Invalid value for 'content': expected a string, got null.", [["set", "messages.5", { role: "assistant" }]]],
  ["call-unanswered", "did not have response messages: call_b", [["remove", "messages.4"]]],
  [
    "call-unanswered",
    "did not have response messages: call_b",
    [
      ["insert", "messages.4", { role: "assistant", content: "Wait." }],
      ["remove", "messages.5"],
    ],
  ],
  [
    "tool-orphan",
    "must be a response to a preceeding message with 'tool_calls'",
    [["insert", "messages.6", { role: "tool", tool_call_id: "call_a", content: "again" }]],
  ],
  [
    "tool-orphan",
    "must be a response to a preceeding message with 'tool_calls'",
    [["insert", "messages.5", { role: "tool", tool_call_id: "call_z", content: "?" }]],
  ],
  [
    "call-id-duplicate",
    "Duplicate value for 'tool_call_id' of 'call_a' in message[2]",
    [["insert", "messages.5", { role: "tool", tool_call_id: "call_a", content: "again" }]],
  ],
  [
    "call-id-duplicate",
    "Duplicate value for 'tool_call_id' of 'call_a' in message[2]",
    [
      ["set", "messages.2.tool_calls.1.id", "call_a"],
      ["remove", "messages.4"],
    ],
  ],
  [
    "image-role",
    "but this message with role 'tool' contains an image URL",
    [["set", "messages.3.content", [{ type: "image_url", image_url: { url: "https://example.org/a.png" } }]]],
  ],
  ["image-url", "Expected a valid URL", [["set", "messages.1.content.0.image_url.url", "./a.png"]]],
  ["image-base64", "Invalid base64 image_url.", [["set", "messages.1.content.0.image_url.url", "data:image/png;base64,AAA"]]],
  ["image-base64", "Invalid base64 image_url.", [["set", "messages.1.content.0.image_url.url", "data:image/png;base64,"]]],
  ["image-format", "You uploaded an unsupported image.", [["set", "messages.1.content.0.image_url.url", "data:image/png;base64,AAAA"]]],
];

const OPTIONS: RuleCases["faults"] = [
  ["model-unknown", "The model `gpt-nobody` does not exist", [...PLAIN, ["set", "model", "gpt-nobody"]]],
  ["max-tokens-reasoning", "Use 'max_completion_tokens' instead.", [["set", "max_tokens", 100]]],
  ["sampling-reasoning", "'temperature' does not support 0.5 with this model.", [["set", "temperature", 0.5]]],
  ["effort-unsupported", "Unrecognized request argument supplied: reasoning_effort", [...PLAIN, ["set", "reasoning_effort", "low"]]],
  ["max-tokens-large", "max_tokens is too large: 16385. This model supports at most 16384", [...PLAIN, ["set", "max_tokens", 16_385]]],
  [
    "prompt-length",
    "This model's maximum context length is 128000 tokens.",
    [...PLAIN, ["set", "messages.0.content", "word ".repeat(110_000)]],
  ],
  ["stream-options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.", [["remove", "stream"]]],
  [
    "tools-missing",
    "'tool_choice' is only allowed when 'tools' are specified.",
    [...PLAIN, ["remove", "tools"], ["set", "tool_choice", "auto"]],
  ],
  [
    "schema-object",
    "Invalid schema for function 'ls': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
    [["set", FN, {}]],
  ],
  ["schema-combinator", "at the top level", [["set", `${FN}.anyOf`, [{ required: ["path"] }]]]],
  ["schema-valid", "is not valid under any of the given schemas", [["set", `${FN}.properties.path`, "string"]]],
  ["schema-items", "In context=('properties', 'list'), array schema missing items.", [["set", `${FN}.properties.list`, { type: "array" }]]],
  [
    "strict-additional",
    "In context=('properties', 'at'), 'additionalProperties' is required to be supplied and to be false.",
    [["remove", `${STRICT}.properties.at.additionalProperties`]],
  ],
  [
    "strict-required",
    "In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'at'.",
    [["remove", `${STRICT}.required`]],
  ],
  [
    "strict-keyword",
    "In context=('properties', 'at'), 'allOf' is not permitted.",
    [["set", `${STRICT}.properties.at.allOf`, [{ minProperties: 1 }]]],
  ],
];

function messageOf(body: JsonObject): string {
  expect(body).toEqual({
    error: {
      message: expect.any(String),
      type: "invalid_request_error",
      param: expect.toSatisfy(isParam),
      code: expect.toSatisfy(isParam),
    },
  });
  return (body["error"] as { readonly message: string }).message;
}

function isParam(value: unknown): boolean {
  return value === null || typeof value === "string";
}

const TRANSPORT: RuleCases["transport"] = [
  ["endpoint", 404, { path: "/chat/completions" }],
  ["endpoint", 404, { path: "/v1/v1/chat/completions" }],
  ["api-key-invalid", 401, { headers: { authorization: "Bearer wrong" } }],
  ["content-type", 400, { headers: { "content-type": "text/plain" } }],
  ["json", 400, { body: '{"model":' }],
  ["json", 400, { body: "[]" }],
];

const SHARED = { path: "/v1/chat/completions", headers: { authorization: "Bearer right" }, messageOf } as const;

describe("OpenAI", () => {
  ruleSuite({
    ...SHARED,
    rules: OPENAI_CHAT_RULES,
    start: () => startOpenAiChatServer({ apiKey: "right" }),
    sample: CHAT_SAMPLE,
    check: checkOpenAiChatRequest,
    faults: [...SHAPE, ...CALLS, ...OPTIONS],
    transport: [...TRANSPORT, ["api-key-missing", 401, { headers: { authorization: undefined } }]],
    allowed: [
      ["text as a string", [["set", "messages.1.content", "Hi"]]],
      [
        "results in another order",
        [
          ["set", "messages.3.tool_call_id", "call_b"],
          ["set", "messages.4.tool_call_id", "call_a"],
        ],
      ],
      ["a user after a tool", [["remove", "messages.5"]]],
      ["a prefill", [["insert", "messages.7", { role: "assistant", content: "So" }]]],
      [
        "the same id in a later turn",
        [
          [
            "insert",
            "messages.6",
            { role: "assistant", tool_calls: [{ id: "call_a", type: "function", function: { name: "ls", arguments: "{}" } }] },
          ],
          ["insert", "messages.7", { role: "tool", tool_call_id: "call_a", content: "" }],
        ],
      ],
      [
        "a temperature without effort",
        [
          ["set", "reasoning_effort", "none"],
          ["set", "temperature", 0.2],
        ],
      ],
      ["a function without parameters", [["remove", FN]]],
      ["an optional property with strict mode off", [["set", `${FN}.required`, []]]],
      ["an image from the web", [["set", "messages.1.content.0.image_url.url", "https://example.org/a.png"]]],
    ],
    statusOf: (rule) => (rule === "model-unknown" ? 404 : 400),
  });
});

describe("a server that copies it", () => {
  const top = SHAPE.filter(([, text]) => !/'thinking'|reasoning_content/.test(text));
  ruleSuite({
    ...SHARED,
    rules: COMPATIBLE_CHAT_RULES,
    start: () => startOpenAiChatServer({ apiKey: "right", compatible: true }),
    sample: editBody(CHAT_SAMPLE, [
      ["set", "model", "local"],
      ["set", "messages.2.reasoning_content", "I list."],
    ]),
    check: (body) => checkOpenAiChatRequest(body, { compatible: true }),
    faults: [
      ...top,
      ...CALLS,
      ["system-first", "System message must be at the beginning.", [["insert", "messages.1", { role: "system", content: "Be kind." }]]],
    ],
    transport: TRANSPORT,
    allowed: [
      ["an unknown field", [["set", "enable_thinking", true]]],
      ["an open schema in strict mode", [["remove", `${STRICT}.additionalProperties`]]],
    ],
    statusOf: () => 400,
  });

  test("needs no key when it has none", async () => {
    await using server = await startOpenAiChatServer({ compatible: true });
    const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(response.status).toBe(500);
    expect(server.violations).toEqual([]);
  });
});
