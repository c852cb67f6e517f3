import type { JsonObject, JsonValue } from "../json.ts";

/** Builders for request schemas. Every object is closed: unlisted fields are unknown. */
export function object(properties: Readonly<Record<string, JsonValue>>, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

/** One of several objects, distinguished by the value of a field. */
export function tagged(tag: string, branches: Readonly<Record<string, JsonObject>>): JsonObject {
  const oneOf = Object.entries(branches).map(([value, branch]) => {
    const { properties = {}, required = [] } = branch as { properties?: JsonObject; required?: readonly string[] };
    return { ...branch, properties: { ...properties, [tag]: { const: value } }, required: [tag, ...required] };
  });
  return { type: "object", discriminator: { propertyName: tag }, required: [tag], oneOf };
}

export function listOf(items: JsonValue, limits: { readonly minItems?: number; readonly maxItems?: number } = {}): JsonObject {
  return { type: "array", items, ...limits };
}

/** Text, or a list of parts. */
export function textOr(parts: JsonValue): JsonObject {
  return { type: ["string", "array"], items: parts };
}

export const STRING: JsonObject = { type: "string" };
export const BOOLEAN: JsonObject = { type: "boolean" };
export const OBJECT: JsonObject = { type: "object" };
/** A value that this server does not check. */
export const ANYTHING: JsonObject = {};

/** The name of a function: 1 to 64 letters, digits, _ and -. */
export const FUNCTION_NAME: JsonObject = { type: "string", minLength: 1, maxLength: 64, pattern: "^[a-zA-Z0-9_-]+$" };
export const EFFORT: JsonObject = { enum: ["none", "minimal", "low", "medium", "high", "xhigh", "max", null] };

/** Fields that both endpoints know. */
export const SHARED_FIELDS: Readonly<Record<string, JsonValue>> = {
  model: STRING,
  stream: { type: ["boolean", "null"] },
  store: { type: ["boolean", "null"] },
  temperature: { type: ["number", "null"], minimum: 0, maximum: 2 },
  top_p: { type: ["number", "null"], minimum: 0, maximum: 1 },
  top_logprobs: ANYTHING,
  metadata: { type: ["object", "null"] },
  moderation: ANYTHING,
  parallel_tool_calls: { type: ["boolean", "null"] },
  prompt_cache_key: { type: ["string", "null"], maxLength: 64 },
  prompt_cache_options: ANYTHING,
  prompt_cache_retention: { enum: ["in_memory", "in-memory", "24h", null] },
  safety_identifier: { type: ["string", "null"], maxLength: 64 },
  service_tier: { enum: ["auto", "default", "flex", "priority", "scale", "fast", null] },
  user: STRING,
};
