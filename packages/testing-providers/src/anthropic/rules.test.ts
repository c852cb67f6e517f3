import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ANTHROPIC_RULES,
  type AnthropicServer,
  checkAnthropicRequest,
  type JsonObject,
  type JsonValue,
  startAnthropicServer,
  textReply,
} from "../index.ts";
import {
  imageBlock,
  pngOfSize,
  SAMPLE_MODEL,
  SAMPLE_PNG,
  sampleRequest,
  toJson,
  type SampleMessage,
  type SampleRequest,
} from "./sample-request.ts";
import { prefixesOf, signThinking } from "./signature.ts";

type Spoil = (request: SampleRequest) => void;

function message(request: SampleRequest, index: number): SampleMessage {
  const found = request.messages[index];
  if (found === undefined) throw new Error(`The sample has no message ${index}.`);
  return found;
}

function block(request: SampleRequest, index: number, position: number): { [field: string]: unknown } {
  const found = message(request, index).content[position];
  if (found === undefined) throw new Error(`Message ${index} has no block ${position}.`);
  return found;
}

function tool(request: SampleRequest, index = 0): SampleRequest["tools"][number] {
  const found = request.tools[index];
  if (found === undefined) throw new Error(`The sample has no tool ${index}.`);
  return found;
}

/** Ends the sample's conversation with plain text, for faults about the end or sampling. */
function plain(request: SampleRequest): void {
  request.thinking = { type: "disabled" };
  request.messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
}

/** The sample for a model with preserved thinking: its thought is bound to its prefix. */
function preserved(request: SampleRequest, model = "claude-sonnet-5-5"): void {
  request.model = model;
  request.thinking = { type: "adaptive" };
  const thought = String(block(request, 1, 0)["thinking"]);
  block(request, 1, 0)["signature"] = signThinking(model, thought, prefixesOf(toJson(request) as JsonObject)[1]);
}

/** Exactly one fault each in the valid sample: the rule that must report it, and the vendor's message. */
const BODY_FAULTS: readonly (readonly [rule: string, message: string, spoil: Spoil, version?: string])[] = [
  ["unknown-field", "max_completion_tokens: Extra inputs are not permitted", (r) => (r["max_completion_tokens"] = 5)],
  ["field-type", "stream: Input should be a valid boolean", (r) => (r["stream"] = "yes")],
  ["field-type", "messages.0.content", (r) => Object.assign(message(r, 0), { content: 7 })],
  ["field-missing", "messages: Field required", (r) => Reflect.deleteProperty(r, "messages")],
  [
    "field-missing",
    "model: Field required",
    (r) => {
      plain(r);
      Reflect.deleteProperty(r, "model");
    },
  ],
  ["field-missing", "messages.2.content.2.text.text: Field required", (r) => Reflect.deleteProperty(block(r, 2, 2), "text")],
  ["nested-unknown-field", "messages.0.name: Extra inputs", (r) => (message(r, 0)["name"] = "Ann")],
  ["nested-unknown-field", "messages.1.content.1.tool_use.arguments: Extra inputs", (r) => (block(r, 1, 1)["arguments"] = "{}")],
  ["block-type", "Input tag 'input_text' found using 'type'", (r) => (block(r, 2, 2)["type"] = "input_text")],
  ["block-role", "`image` blocks can only be in `user` messages", (r) => message(r, 1).content.push(imageBlock())],
  ["block-role", "system.2.type: Input should be 'text'", (r) => r.system.push(imageBlock())],
  [
    "model-unknown",
    "model: claude-nobody",
    (r) => {
      plain(r);
      r.model = "claude-nobody";
    },
  ],
  ["max-tokens", "max_tokens: Field required", (r) => Reflect.deleteProperty(r, "max_tokens")],
  [
    "max-tokens",
    `max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for ${SAMPLE_MODEL}`,
    (r) => (r.max_tokens = 64_001),
  ],
  [
    "max-tokens",
    "max_tokens: Input should be greater than or equal to 1",
    (r) => {
      plain(r);
      r.max_tokens = 0;
    },
  ],
  ["prompt-length", "tokens > 200000 maximum", (r) => (block(r, 2, 2)["text"] = "word ".repeat(170_000))],
  ["thinking-type", "thinking: Input tag 'auto'", (r) => (r.thinking = { type: "auto" })],
  [
    "thinking-type",
    "thinking: Input tag 'disabled' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools'",
    (r) => {
      preserved(r);
      r.thinking = { type: "disabled" };
    },
  ],
  ["thinking-type", "thinking: Input tag 'between_tools'", (r) => (r.thinking = { type: "between_tools" })],
  [
    "thinking-between-tools",
    "thinking.between_tools.display: Extra inputs are not permitted",
    (r) => {
      preserved(r);
      r.thinking = { type: "between_tools", display: "summarized" };
    },
  ],
  [
    "thinking-effort",
    "output_config.effort: 'xhigh' is not supported",
    (r) => {
      preserved(r);
      r.thinking = { type: "between_tools" };
      r["output_config"] = { effort: "xhigh" };
    },
  ],
  [
    "thinking-effort",
    "output_config.effort: 'max' is not supported",
    (r) => {
      plain(r);
      r.model = "claude-haiku-5-5";
      r["output_config"] = { effort: "max" };
    },
  ],
  [
    "thinking-bound",
    "messages.1.content.0: The block is bound to a different conversation",
    (r) => {
      preserved(r);
      r.system.push({ type: "text", text: "One more rule." });
    },
  ],
  [
    "thinking-bound",
    "messages.1.content.0: The block is bound to a different conversation",
    (r) => {
      preserved(r);
      tool(r)["description"] = "List another folder";
    },
  ],
  [
    "thinking-bound",
    "messages.1.content.0: The block is bound to a different conversation",
    (r) => {
      preserved(r);
      message(r, 0).content.push({ type: "text", text: "One more." });
    },
  ],
  ["thinking-budget-small", "greater than or equal to 1024", (r) => (r.thinking["budget_tokens"] = 1023)],
  ["thinking-budget-large", "`max_tokens` must be greater than `thinking.budget_tokens`", (r) => (r.max_tokens = 2048)],
  ["thinking-temperature", "`temperature` may only be set to 1", (r) => (r["temperature"] = 0.5)],
  ["thinking-sampling", "`top_k` must be unset", (r) => (r["top_k"] = 4)],
  ["thinking-sampling", "`top_p` must be greater", (r) => (r["top_p"] = 0.5)],
  ["thinking-tool-choice", "Thinking may not be enabled when tool_choice forces tool use.", (r) => (r["tool_choice"] = { type: "any" })],
  [
    "thinking-signature",
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    (r) => (block(r, 1, 0)["thinking"] = "Something else."),
  ],
  ["thinking-signature", "messages.1.content.0: Invalid `signature`", (r) => (r.model = "claude-haiku-4-5")],
  ["thinking-first", "Expected `thinking` or `redacted_thinking`, but found `tool_use`", (r) => message(r, 1).content.shift()],
  [
    "temperature-range",
    "temperature: Input should be less than or equal to 1",
    (r) => {
      plain(r);
      r["temperature"] = 1.2;
    },
  ],
  [
    "temperature-and-top-p",
    "cannot both be specified",
    (r) => {
      plain(r);
      Object.assign(r, { temperature: 1, top_p: 0.9 });
    },
  ],
  [
    "sampling-unsupported",
    "`top_k` is not supported",
    (r) => {
      plain(r);
      Object.assign(r, { model: "claude-opus-4-8", top_k: 3 });
    },
  ],
  [
    "sampling-removed",
    "temperature: Extra inputs are not permitted",
    (r) => {
      plain(r);
      r["temperature"] = 1;
    },
    "2026-10-21",
  ],
  [
    "user-citations",
    "messages.2.content.2.text.citations: Extra inputs are not permitted",
    (r) => (block(r, 2, 2)["citations"] = [{ type: "char_location" }]),
    "2026-10-21",
  ],
  ["stop-sequence", "each stop sequence must contain non-whitespace", (r) => (r["stop_sequences"] = ["END", "\n"])],
  ["tool-name", "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", (r) => (tool(r).name = "fs.ls")],
  ["tool-name", "tools.0.custom.name: String should match", (r) => (tool(r).name = "x".repeat(129))],
  ["tool-name-unique", "tools: Tool names must be unique.", (r) => (tool(r).name = "read")],
  ["tool-unknown-field", "tools.0.custom.parameters: Extra inputs", (r) => (tool(r)["parameters"] = {})],
  ["tool-schema-object", "tools.0.custom.input_schema.type: Field required", (r) => (tool(r).input_schema = {})],
  ["tool-schema-object", "Input should be 'object'", (r) => (tool(r).input_schema = { type: "string" })],
  ["tool-schema-valid", "It must match JSON Schema draft 2020-12", (r) => (tool(r).input_schema["properties"] = { path: "string" })],
  [
    "tool-schema-combinator",
    "does not support oneOf, allOf, or anyOf at the top level",
    (r) => (tool(r).input_schema["anyOf"] = [{ required: ["path"] }]),
  ],
  [
    "tool-property-key",
    "Property keys should match pattern",
    (r) => (tool(r).input_schema["properties"] = { "the path": { type: "string" } }),
  ],
  [
    "tool-property-key",
    "Property keys should match pattern",
    (r) => (tool(r).input_schema["properties"] = { list: { type: "array", items: { type: "object", properties: { "a/b": {} } } } }),
  ],
  [
    "tool-choice",
    "Tool 'write' not found in provided tools",
    (r) => {
      plain(r);
      r["tool_choice"] = { type: "tool", name: "write" };
    },
  ],
  [
    "tool-choice",
    "may only be specified while providing tools",
    (r) => {
      plain(r);
      r.tools = [];
      r["tool_choice"] = { type: "auto" };
    },
  ],
  ["messages-empty", "messages: at least one message is required", (r) => (r.messages = [])],
  ["role-system", 'Unexpected role "system"', (r) => r.messages.push({ role: "system", content: [{ type: "text", text: "Be kind." }] })],
  [
    "role-unknown",
    "messages.3.role: Input should be 'user' or 'assistant'",
    (r) => r.messages.push({ role: "tool", content: [{ type: "text", text: "x" }] }),
  ],
  [
    "first-message-user",
    'first message must use the "user" role',
    (r) => r.messages.unshift({ role: "assistant", content: [{ type: "text", text: "Hi." }] }),
  ],
  ["content-empty", "messages.3: all messages must have non-empty content", (r) => r.messages.push({ role: "user", content: [] })],
  ["text-empty", "messages: text content blocks must be non-empty", (r) => message(r, 1).content.splice(1, 0, { type: "text", text: "" })],
  ["text-empty", "system: text content blocks must be non-empty", (r) => r.system.push({ type: "text", text: "" })],
  ["text-empty", "messages: text content blocks", (r) => (block(r, 2, 0)["content"] = [{ type: "text", text: "" }])],
  ["text-whitespace", "must contain non-whitespace text", (r) => (block(r, 2, 2)["text"] = " \n\t")],
  [
    "final-assistant-whitespace",
    "cannot end with trailing whitespace",
    (r) => r.messages.push({ role: "assistant", content: [{ type: "text", text: "So " }] }),
  ],
  [
    "prefill",
    "does not support assistant message prefill",
    (r) => {
      plain(r);
      r.model = "claude-opus-4-6";
      r.messages.push({ role: "assistant", content: [{ type: "text", text: "So" }] });
    },
  ],
  [
    "tool-use-id",
    "String should match pattern '^[a-zA-Z0-9_-]+$'",
    (r) => {
      block(r, 1, 1)["id"] = "call:1|x";
      block(r, 2, 0)["tool_use_id"] = "call:1|x";
    },
  ],
  [
    "tool-use-id-unique",
    "messages.3.content.0: `tool_use` ids must be unique",
    (r) =>
      r.messages.push(
        { role: "assistant", content: [{ type: "tool_use", id: "toolu_a", name: "ls", input: {} }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_a" },
            { type: "text", text: "Go on." },
          ],
        },
        { role: "assistant", content: [{ type: "text", text: "Done." }] },
        { role: "user", content: [{ type: "text", text: "Thanks." }] },
      ),
  ],
  ["tool-use-name", "tool_use.name: String should have at least 1 character", (r) => (block(r, 1, 1)["name"] = "")],
  ["tool-use-name", "tool_use.name: String should have at most 200 characters", (r) => (block(r, 1, 1)["name"] = "n".repeat(201))],
  [
    "tool-use-input",
    "messages.1.content.1.tool_use.input: Input should be a valid dictionary",
    (r) => (block(r, 1, 1)["input"] = '{"path":"."}'),
  ],
  [
    "tool-result-missing",
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_b.",
    (r) => message(r, 2).content.splice(1, 1),
  ],
  [
    "tool-result-unexpected",
    "messages.2.content.2: unexpected `tool_use_id` found in `tool_result` blocks: toolu_z.",
    (r) => message(r, 2).content.splice(2, 0, { type: "tool_result", tool_use_id: "toolu_z", content: "?" }),
  ],
  [
    "tool-result-duplicate",
    "messages.2.content.2: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_a",
    (r) => message(r, 2).content.splice(2, 0, { type: "tool_result", tool_use_id: "toolu_a", content: "again" }),
  ],
  ["tool-result-first", "immediately after: toolu_a, toolu_b.", (r) => message(r, 2).content.unshift({ type: "text", text: "Here:" })],
  [
    "tool-result-content",
    "Input tag 'tool_use' found",
    (r) => (block(r, 2, 0)["content"] = [{ type: "tool_use", id: "toolu_c", name: "ls", input: {} }]),
  ],
  ["tool-result-error", 'all content must be type "text" if `is_error` is true', (r) => (block(r, 2, 0)["is_error"] = true)],
  [
    "cache-shape",
    "cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    (r) => (block(r, 2, 2)["cache_control"] = { type: "ephemeral", ttl: "2h" }),
  ],
  [
    "cache-shape",
    "messages.2.content.2.cache_control: Input tag should be 'ephemeral'",
    (r) => (block(r, 2, 2)["cache_control"] = { type: "forever" }),
  ],
  [
    "cache-count",
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    (r) => {
      for (const position of [0, 1]) block(r, 2, position)["cache_control"] = { type: "ephemeral" };
    },
  ],
  [
    "cache-empty-text",
    "system.1.text: cache_control cannot be set for empty text blocks",
    (r) => (r.system[1] = { type: "text", text: "", cache_control: { type: "ephemeral" } }),
  ],
  [
    "cache-thinking",
    "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    (r) => (block(r, 1, 0)["cache_control"] = { type: "ephemeral" }),
  ],
  [
    "cache-ttl-order",
    "system.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'",
    (r) => (tool(r, 1)["cache_control"] = { type: "ephemeral" }),
  ],
  ["image-source", "Only HTTPS URLs are supported.", (r) => (block(r, 0, 0)["source"] = { type: "url", url: "http://example.org/a.png" })],
  ["image-source", "Input tag 'blob' found", (r) => (block(r, 0, 0)["source"] = { type: "blob" })],
  ["image-media-type", "media_type: Input should be 'image/jpeg'", (r) => (message(r, 0).content[0] = imageBlock(SAMPLE_PNG, "image/bmp"))],
  [
    "image-base64",
    "messages.0.content.0.image.source.base64.data: invalid base64 data",
    (r) => (message(r, 0).content[0] = imageBlock(`data:image/png;base64,${SAMPLE_PNG}`)),
  ],
  [
    "image-readable",
    "Could not process image",
    (r) => (message(r, 0).content[0] = imageBlock(Buffer.from("not an image").toString("base64"))),
  ],
  [
    "image-mismatch",
    "specified using the image/jpeg media type, but the image appears to be a image/png image",
    (r) => (message(r, 0).content[0] = imageBlock(SAMPLE_PNG, "image/jpeg")),
  ],
  [
    "image-mismatch",
    "messages.2.content.0.tool_result.content.1.image.source.base64: The image was specified",
    (r) => (block(r, 2, 0)["content"] = [{ type: "text", text: "a" }, imageBlock(SAMPLE_PNG, "image/gif")]),
  ],
  [
    "image-bytes",
    "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes",
    (r) => (message(r, 0).content[0] = imageBlock(Buffer.concat([Buffer.from(SAMPLE_PNG, "base64")], 3_932_163).toString("base64"))),
  ],
  ["image-pixels", "exceed max allowed size: 8000 pixels", (r) => (message(r, 0).content[0] = imageBlock(pngOfSize(8001, 4)))],
  [
    "image-pixels-of-many",
    "for many-image requests: 2000 pixels",
    (r) => (message(r, 0).content = [...Array.from({ length: 20 }, () => imageBlock()), imageBlock(pngOfSize(4, 2001))]),
  ],
];

interface TransportFault {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

const TRANSPORT_FAULTS: readonly (readonly [rule: string, status: number, errorType: string, fault: TransportFault])[] = [
  ["endpoint", 404, "not_found_error", { path: "/messages" }],
  ["endpoint", 404, "not_found_error", { path: "/v1/v1/messages" }],
  ["request-bytes", 413, "request_too_large", { body: `"${"x".repeat(32 * 1024 * 1024)}"` }],
  ["api-key-missing", 401, "authentication_error", { headers: { "x-api-key": undefined } }],
  ["api-key-missing", 401, "authentication_error", { headers: { "x-api-key": undefined, authorization: "Basic cmlnaHQ=" } }],
  ["api-key-invalid", 401, "authentication_error", { headers: { "x-api-key": "wrong" } }],
  ["api-key-invalid", 401, "authentication_error", { headers: { "x-api-key": undefined, authorization: "Bearer wrong" } }],
  ["version-missing", 400, "invalid_request_error", { headers: { "anthropic-version": undefined } }],
  ["version-unknown", 400, "invalid_request_error", { headers: { "anthropic-version": "2024-10-22" } }],
  ["content-type", 400, "invalid_request_error", { headers: { "content-type": "text/plain" } }],
  ["json", 400, "invalid_request_error", { body: '{"model":' }],
  ["json", 400, "invalid_request_error", { body: "[]" }],
];

let server: AnthropicServer;
beforeAll(async () => {
  server = await startAnthropicServer({ apiKey: "right" });
  server.respond(() => textReply("Fine."));
});
afterAll(() => server.close());

interface Answer {
  readonly status: number;
  readonly body: string;
}

function post(fault: TransportFault): Promise<Answer> {
  const headers = { "x-api-key": "right", "anthropic-version": "2023-06-01", "content-type": "application/json", ...fault.headers };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest(server.baseUrl + (fault.path ?? "/v1/messages"), { method: fault.method ?? "POST" }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
  });
  request.on("error", reject);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value);
  request.end(fault.body ?? JSON.stringify(sampleRequest()));
  return promise;
}

function errorOf(answer: Answer): { type: string; message: string } {
  const body: { type: string; error: { type: string; message: string }; request_id: string } = JSON.parse(answer.body);
  expect(body).toEqual({
    type: "error",
    error: { type: expect.any(String), message: expect.any(String) },
    request_id: expect.stringMatching(/^req_/),
  });
  return body.error;
}

describe("a request", () => {
  test("the sample breaks no rule", async () => {
    const answer = await post({});
    expect(server.requests.at(-1)?.violations).toEqual([]);
    expect(answer.status).toBe(200);
  });

  test.each(BODY_FAULTS.map(([rule, text, spoil, version = "2023-06-01"]) => [rule, text, version, spoil] as const))(
    "is refused by %s: %s (%s)",
    async (rule, text, version, spoil) => {
      const request = sampleRequest();
      spoil(request);
      const answer = await post({ body: JSON.stringify(request), headers: { "anthropic-version": version } });
      expect(server.requests.at(-1)?.violations).toEqual([{ rule, message: expect.stringContaining(text) }]);
      expect(errorOf(answer)).toEqual({
        type: rule === "model-unknown" ? "not_found_error" : "invalid_request_error",
        message: server.requests.at(-1)?.violations[0]?.message,
      });
      expect(answer.status).toBe(rule === "model-unknown" ? 404 : 400);
      await expect(server.requests.at(-1)?.ended).resolves.toBe("refused");
    },
  );

  test.each(TRANSPORT_FAULTS)("is refused by %s with %i %s", async (rule, status, errorType, fault) => {
    const answer = await post(fault);
    expect(server.requests.at(-1)?.violations.map((violation) => violation.rule)).toEqual([rule]);
    expect(answer.status).toBe(status);
    expect(errorOf(answer).type).toBe(errorType);
  });
});

describe("the table", () => {
  test("has a planted fault for every rule", () => {
    const planted = new Set([...BODY_FAULTS, ...TRANSPORT_FAULTS].map(([rule]) => rule));
    expect([...planted].toSorted()).toEqual(ANTHROPIC_RULES.map(({ id }) => id).toSorted());
    expect(ANTHROPIC_RULES.length).toBeGreaterThanOrEqual(25);
  });

  test("names each rule once and describes it", () => {
    expect(new Set(ANTHROPIC_RULES.map(({ id }) => id)).size).toBe(ANTHROPIC_RULES.length);
    for (const rule of ANTHROPIC_RULES) expect(rule.description.length * rule.vendorText.length, rule.id).toBeGreaterThan(0);
  });
});

/** Unusual but valid requests: a strict server that refuses these would mislead clients. */
const ALLOWED: readonly (readonly [what: string, spoil: Spoil])[] = [
  ["neighbours of one role", (r) => r.messages.push({ role: "user", content: [{ type: "text", text: "One more." }] })],
  ["whitespace beside real text", (r) => message(r, 2).content.push({ type: "text", text: "\n" })],
  ["text as a string", (r) => Object.assign(r, { system: "Be brief.", messages: [{ role: "user", content: "Hi" }] })],
  ["a result without content", (r) => Reflect.deleteProperty(block(r, 2, 1), "content")],
  ["a prefill for an older model", (r) => r.messages.push({ role: "assistant", content: [{ type: "text", text: "So" }] })],
  ["an automatic mark", (r) => (r["cache_control"] = { type: "ephemeral" })],
  ["a property that is called cache_control", (r) => (tool(r).input_schema["properties"] = { cache_control: { type: "string" } })],
  ["a key of an enum", (r) => (tool(r).input_schema["properties"] = { path: { enum: [{ properties: { "a b": 1 } }] } })],
  ["a schema of an older draft", (r) => (tool(r).input_schema["$schema"] = "http://json-schema.org/draft-07/schema#")],
  ["an https image", (r) => (block(r, 0, 0)["source"] = { type: "url", url: "https://example.org/a.png" })],
  ["an image of exactly 8000 pixels", (r) => (message(r, 0).content[0] = imageBlock(pngOfSize(8000, 2)))],
  ["a preserved thought behind what it was thought behind", (r) => preserved(r)],
  [
    "a preserved thought with other cache marks before it",
    (r) => {
      preserved(r);
      for (const part of r.system) Reflect.deleteProperty(part, "cache_control");
    },
  ],
  [
    "thinking between tools",
    (r) => {
      preserved(r);
      r.thinking = { type: "between_tools" };
      r["output_config"] = { effort: "high" };
    },
  ],
  [
    "a changed prefix for a model without preserved thinking",
    (r) => {
      r.system.push({ type: "text", text: "One more rule." });
    },
  ],
  ["temperature 1 with thinking", (r) => (r["temperature"] = 1)],
];

test("sampling and citations belong to the older version", async () => {
  const request = sampleRequest();
  plain(request);
  request["temperature"] = 1;
  block(request, 0, 0)["citations"] = [{ type: "char_location" }];
  expect((await post({ body: JSON.stringify(request) })).status).toBe(200);
});

test("the key may be sent as a bearer token", async () => {
  expect((await post({ headers: { "x-api-key": undefined, authorization: "Bearer right" } })).status).toBe(200);
});

test.each(ALLOWED)("%s is accepted", async (_what, spoil) => {
  const request = sampleRequest();
  spoil(request);
  const answer = await post({ body: JSON.stringify(request) });
  expect(server.requests.at(-1)?.violations).toEqual([]);
  expect(answer.status).toBe(200);
});

/** The JSON with the value at the n-th place (depth first) replaced. */
function replaceAt(json: JsonValue, place: number, value: JsonValue): JsonValue {
  let index = 0;
  const walk = (part: JsonValue): JsonValue => {
    if (index++ === place) return value;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(json);
}

test("for any change of a body, the check names rules and never throws", () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom("", " ", "tool_use", "1h", -1, 1e9, {}, []));
  const known = new Set(ANTHROPIC_RULES.map(({ id }) => id));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 120 }), anything, (place, value) => {
      const body = replaceAt(toJson(sampleRequest()), place, value as JsonValue);
      if (typeof body !== "object" || body === null || Array.isArray(body)) return;
      for (const { rule, message } of checkAnthropicRequest(body as JsonObject)) {
        expect(known).toContain(rule);
        expect(message).not.toBe("");
      }
    }),
    { numRuns: 500 },
  );
});
