import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";

/** The objects of a list; none for another value. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}

/** A string, or an empty one for another value. */
export function stringOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** An estimate: four characters per token; inline images are not counted. */
export function promptTokensOf(parts: readonly (JsonValue | undefined)[]): number {
  const text = JSON.stringify(parts, (_key, value: JsonValue) => (typeof value === "string" && value.startsWith("data:") ? "" : value));
  return Math.ceil(text.length / 4);
}
