import type { JsonObject } from "../json.ts";
import { signThinking } from "./signature.ts";

/** A message whose parts a test may change. */
export interface SampleMessage {
  role: string;
  content: SampleBlock[];
  [field: string]: unknown;
}

export interface SampleBlock {
  type: string;
  [field: string]: unknown;
}

/** A request that breaks no rule and exercises most of them; every call creates a new one, which may be modified. */
export interface SampleRequest {
  model: string;
  max_tokens: number;
  thinking: SampleBlock;
  tools: { name: string; input_schema: { [keyword: string]: unknown }; [field: string]: unknown }[];
  system: SampleBlock[];
  messages: SampleMessage[];
  [field: string]: unknown;
}

export const SAMPLE_MODEL = "claude-sonnet-4-5-20250929";

/** A red 1×1 PNG. */
export const SAMPLE_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** Header bytes of a PNG of any size: enough to read its size. */
export function pngOfSize(width: number, height: number): string {
  const bytes = Buffer.from(SAMPLE_PNG, "base64");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

export function imageBlock(data: string = SAMPLE_PNG, mediaType = "image/png"): SampleBlock {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

export function sampleRequest(): SampleRequest {
  const thought = "The user wants the folder listed.";
  const short = { type: "ephemeral" };
  return {
    model: SAMPLE_MODEL,
    max_tokens: 4096,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 2048 },
    tools: [
      {
        name: "ls",
        description: "List a folder",
        input_schema: { type: "object", properties: { path: { minLength: 1, type: "string" } }, required: ["path"] },
      },
      { name: "read", input_schema: { type: "object", properties: {} }, cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
    system: [
      { type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral", ttl: "1h" } },
      { type: "text", text: "The workspace is /srv." },
    ],
    messages: [
      { role: "user", content: [imageBlock(), { type: "text", text: "What lies here?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: thought, signature: signThinking(SAMPLE_MODEL, thought) },
          { type: "tool_use", id: "toolu_a", name: "ls", input: { path: "." } },
          { type: "tool_use", id: "toolu_b", name: "read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_a", content: [{ type: "text", text: "README.md" }, imageBlock()] },
          { type: "tool_result", tool_use_id: "toolu_b", content: "no such file", is_error: true },
          { type: "text", text: "And?", cache_control: short },
        ],
      },
    ],
  };
}

/** The same as plain JSON, for the checks. */
export function toJson(request: SampleRequest): JsonObject {
  const json: JsonObject = JSON.parse(JSON.stringify(request));
  return json;
}
