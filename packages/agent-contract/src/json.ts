/** A value that JSON can carry without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Keys never hold NUL (R10). */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A JSON Schema (2020-12) as a plain object; what a provider cannot take of it is adapted in `models`. */
export type JsonSchema = JsonObject;
