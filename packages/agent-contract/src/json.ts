/** A value that JSON represents without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys never contain NUL (R10). */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A JSON Schema (2020-12) as a plain object; `models` adapts what a provider does not accept. */
export type JsonSchema = JsonObject;
