/** What `JSON.parse` yields, read-only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; a missing key reads as `undefined`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for objects alone: neither null nor an array. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isJsonArray(value);
}

/** `Array.isArray` for the read-only arrays of {@link JsonValue}. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Parses JSON text.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  return value;
}

/** A value for an error text: strings as they are, anything else as JSON. */
export function showJson(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
}
