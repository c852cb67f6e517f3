import type { JsonObject, JsonValue } from "@factotum/agent-contract";

/** The value as an object; an empty one for anything else. */
export function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one for anything else. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
