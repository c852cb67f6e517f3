import { expect } from "vitest";
import { ruleSuite } from "../../test/rule-suite.ts";
import { MISTRAL_SAMPLE, PNG_URL } from "../../test/samples.ts";
import { checkMistralRequest, type JsonObject, MISTRAL_RULES, startMistralServer } from "../index.ts";

const SHAPE = new Set(["unknown-field", "field-missing", "field-type", "field-value", "number-range"]);
const USER = { role: "user", content: "And?" };

ruleSuite({
  rules: MISTRAL_RULES,
  start: () => startMistralServer({ apiKey: "right" }),
  path: "/v1/chat/completions",
  headers: { authorization: "Bearer right" },
  sample: MISTRAL_SAMPLE,
  check: checkMistralRequest,
  faults: [
    ["unknown-field", "Extra inputs are not permitted", [["set", "stream_options", { include_usage: true }]]],
    ["unknown-field", "Extra inputs are not permitted", [["set", "messages.5.reasoning_content", "hm"]]],
    ["field-missing", "Field required", [["remove", "messages"]]],
    ["field-missing", "Field required", [["remove", "messages.6.content"]]],
    ["field-missing", "Field required", [["remove", "tools.0.function.parameters"]]],
    ["field-type", "Input should be a valid boolean", [["set", "stream", "yes"]]],
    [
      "field-value",
      "Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'",
      [["set", "messages.0.role", "developer"]],
    ],
    ["field-value", "Input tag 'input_text' found using 'type'", [["set", "messages.1.content.1.type", "input_text"]]],
    ["number-range", "Input should be less than or equal to 1.5", [["set", "temperature", 2]]],
    ["messages-empty", "Conversation must have at least one message", [["set", "messages", []]]],
    [
      "first-message",
      "Conversation must start with a user message or system message",
      [["set", "messages", [{ role: "assistant", content: "Hi" }]]],
    ],
    [
      "last-message",
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
      [["remove", "messages.6"]],
    ],
    ["message-order", "Unexpected role 'user' after role 'tool'", [["remove", "messages.5"]]],
    [
      "message-order",
      "Unexpected role 'tool' after role 'user'",
      [["set", "messages", [USER, { role: "tool", tool_call_id: "abcdefghi", content: "x" }]]],
    ],
    [
      "message-order",
      "Unexpected role 'system' after role 'assistant'",
      [["insert", "messages.6", { role: "system", content: "Be kind." }]],
    ],
    ["call-unanswered", "Not the same number of function calls and responses", [["remove", "messages.4"]]],
    [
      "call-unanswered",
      "Not the same number of function calls and responses",
      [
        [
          "set",
          "messages",
          [USER, { role: "assistant", tool_calls: [{ id: "abcdefghi", function: { name: "ls", arguments: "{}" } }] }, USER],
        ],
      ],
    ],
    [
      "tool-unexpected",
      "Unexpected tool call id zzzzzzzzz in tool results",
      [["insert", "messages.5", { role: "tool", tool_call_id: "zzzzzzzzz", content: "?" }]],
    ],
    [
      "tool-duplicate",
      "Duplicate tool call id abcdefghi in tool results",
      [["insert", "messages.5", { role: "tool", tool_call_id: "abcdefghi", content: "again" }]],
    ],
    [
      "call-duplicate",
      "Duplicate tool call id abcdefghi in assistant message",
      [
        ["set", "messages.2.tool_calls.1.id", "abcdefghi"],
        ["remove", "messages.4"],
      ],
    ],
    ["system-content", "System prompt must have content", [["set", "messages.0.content", null]]],
    ["assistant-empty", "Assistant message must have either content or tool_calls, but not none.", [["set", "messages.5.content", ""]]],
    ["assistant-prefix", "Assistant message with prefix True must be last message", [["set", "messages.5.prefix", true]]],
    [
      "call-id-missing",
      "Tool call id has to be defined in serving mode.",
      [
        [
          "set",
          "messages",
          [
            USER,
            { role: "assistant", tool_calls: [{ function: { name: "ls", arguments: "{}" } }] },
            { role: "tool", tool_call_id: "null", content: "" },
            USER,
          ],
        ],
        ["insert", "messages.3", { role: "assistant", content: "So." }],
      ],
    ],
    [
      "call-id",
      "Tool call id was call_12345 but must be a-z, A-Z, 0-9, with a length of 9.",
      [
        ["set", "messages.2.tool_calls.0.id", "call_12345"],
        ["set", "messages.3.tool_call_id", "call_12345"],
      ],
    ],
    ["call-name", "Function name was fs.ls but must be a-z", [["set", "messages.2.tool_calls.0.function.name", "fs.ls"]]],
    ["tool-id-missing", "Tool call id has to be defined.", [["insert", "messages.5", { role: "tool", content: "?" }]]],
    ["tool-name", "Function name was fs.ls but must be", [["set", "messages.3.name", "fs.ls"]]],
    ["function-name", "Function name was  but must be", [["set", "tools.0.function.name", ""]]],
    ["function-schema", "Invalid tool schema", [["set", "tools.0.function.parameters.properties.path", "string"]]],
    ["model-unknown", "Invalid model: gpt-4o", [["set", "model", "gpt-4o"]]],
    ["prompt-length", "too large for model with 131072 maximum context length", [["set", "messages.6.content", "word ".repeat(110_000)]]],
    ["image-readable", "could not be loaded as a valid image.", [["set", "messages.1.content.0.image_url", "data:image/png;base64,AAAA"]]],
    [
      "image-count",
      "Too many images",
      [["set", "messages.6.content", Array.from({ length: 8 }, () => ({ type: "image_url", image_url: { url: PNG_URL } }))]],
    ],
  ],
  transport: [
    ["endpoint", 404, { path: "/chat/completions" }],
    ["api-key", 401, { headers: { authorization: undefined } }],
    ["api-key", 401, { headers: { authorization: "Bearer wrong" } }],
    ["json", 422, { body: "{" }],
  ],
  allowed: [
    ["neighbouring users", [["insert", "messages.7", USER]]],
    [
      "results in another order",
      [
        ["set", "messages.3.tool_call_id", "123456789"],
        ["set", "messages.4.tool_call_id", "abcdefghi"],
      ],
    ],
    ["content beside calls", [["set", "messages.2.content", "I look."]]],
    ["a prefix at the end", [["insert", "messages.7", { role: "assistant", content: "So", prefix: true }]]],
    ["arguments as an object", [["set", "messages.2.tool_calls.0.function.arguments", { path: "." }]]],
    ["a tool's message without a name", [["remove", "messages.3.name"]]],
    [
      "thinking before text",
      [
        [
          "set",
          "messages.5.content",
          [
            { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
            { type: "text", text: "A file." },
          ],
        ],
      ],
    ],
  ],
  statusOf: (rule) => (SHAPE.has(rule) ? 422 : 400),
  messageOf,
});

function messageOf(body: JsonObject): string {
  if (typeof body["detail"] === "string") return body["detail"];
  const { message } = body as { readonly message: string | { readonly detail: readonly { readonly msg: string }[] } };
  expect(body).toMatchObject({ object: "error", param: null });
  return typeof message === "string" ? message : (message.detail[0]?.msg ?? "");
}
