import { sealReasoning } from "../src/openai-responses/seal.ts";
import { signThought } from "../src/google/signature.ts";
import type { JsonObject } from "../src/index.ts";

/** A red 1×1 PNG. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
export const PNG_URL: string = `data:image/png;base64,${PNG}`;

const PARAMETERS = { type: "object", properties: { path: { type: "string", minLength: 1 } }, required: ["path"] };
const STRICT = {
  type: "object",
  properties: {
    at: { type: "object", properties: { zone: { type: ["string", "null"] } }, required: ["zone"], additionalProperties: false },
  },
  required: ["at"],
  additionalProperties: false,
};

export const CHAT_SAMPLE: JsonObject = {
  model: "gpt-5.5",
  max_completion_tokens: 4096,
  reasoning_effort: "medium",
  prompt_cache_key: "session-1",
  stream: true,
  stream_options: { include_usage: true },
  tools: [
    { type: "function", function: { name: "ls", description: "List a folder", parameters: PARAMETERS, strict: false } },
    { type: "function", function: { name: "now", parameters: STRICT, strict: true } },
  ],
  messages: [
    { role: "system", content: "Answer briefly." },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: PNG_URL, detail: "auto" } },
        { type: "text", text: "What lies here?" },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_a", type: "function", function: { name: "ls", arguments: '{"path":"."}' } },
        { id: "call_b", type: "function", function: { name: "now", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_a", content: "README.md" },
    { role: "tool", tool_call_id: "call_b", content: [{ type: "text", text: "noon" }] },
    { role: "assistant", content: "A file." },
    { role: "user", content: "And?" },
  ],
};

export const RESPONSES_SAMPLE: JsonObject = {
  model: "gpt-5.5",
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  max_output_tokens: 4096,
  prompt_cache_key: "session-1",
  reasoning: { effort: "medium", summary: "auto" },
  tools: [
    { type: "function", name: "ls", description: "List a folder", parameters: PARAMETERS, strict: false },
    { type: "function", name: "now", parameters: STRICT, strict: true },
  ],
  input: [
    { role: "developer", content: "Answer briefly." },
    {
      role: "user",
      content: [
        { type: "input_image", image_url: PNG_URL },
        { type: "input_text", text: "What lies here?" },
      ],
    },
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "I list the folder." }],
      encrypted_content: sealReasoning("rs_1", "I list the folder."),
    },
    { type: "function_call", id: "fc_1", call_id: "call_a", name: "ls", arguments: '{"path":"."}' },
    { type: "function_call", call_id: "call_b", name: "now", arguments: "{}" },
    { type: "function_call_output", call_id: "call_a", output: [{ type: "input_text", text: "README.md" }] },
    { type: "function_call_output", call_id: "call_b", output: "noon" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "A file." }] },
    { role: "user", content: "And?" },
  ],
};

export const GOOGLE_PATH = "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse";

export const GOOGLE_SAMPLE: JsonObject = {
  systemInstruction: { parts: [{ text: "Answer briefly." }] },
  generationConfig: {
    maxOutputTokens: 4096,
    temperature: 1,
    stopSequences: ["END"],
    thinkingConfig: { includeThoughts: true, thinkingLevel: "high" },
  },
  tools: [
    {
      functionDeclarations: [
        {
          name: "ls",
          description: "List a folder",
          parameters: {
            type: "object",
            properties: {
              path: { type: "string" },
              sort: { type: "string", enum: ["name", "size"] },
              skip: { type: "array", items: { type: "string" } },
            },
            required: ["path"],
          },
        },
        { name: "now" },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  contents: [
    { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: PNG } }, { text: "What lies here?" }] },
    {
      role: "model",
      parts: [
        { text: "I look.", thought: true },
        { functionCall: { name: "ls", args: { path: "." } }, thoughtSignature: signThought() },
        { functionCall: { name: "now", args: {} } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "ls", response: { content: "README.md" } } },
        { functionResponse: { name: "now", response: { content: "noon" } } },
      ],
    },
  ],
};

export const MISTRAL_SAMPLE: JsonObject = {
  model: "mistral-medium-latest",
  max_tokens: 4096,
  stream: true,
  tools: [{ type: "function", function: { name: "ls", description: "List a folder", parameters: PARAMETERS } }],
  messages: [
    { role: "system", content: "Answer briefly." },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: PNG_URL },
        { type: "text", text: "What lies here?" },
      ],
    },
    {
      role: "assistant",
      content: "",
      tool_calls: [
        { id: "abcdefghi", type: "function", function: { name: "ls", arguments: '{"path":"."}' } },
        { id: "123456789", type: "function", function: { name: "ls", arguments: '{"path":"src"}' } },
      ],
    },
    { role: "tool", name: "ls", tool_call_id: "abcdefghi", content: "README.md" },
    { role: "tool", name: "ls", tool_call_id: "123456789", content: "index.ts" },
    { role: "assistant", content: "A file." },
    { role: "user", content: "And?" },
  ],
};
