import { isJsonObject, type JsonObject } from "../json.ts";

/** The base64 text of an image block, or undefined if its source is of another type. */
export function base64Of(block: JsonObject): string | undefined {
  const source = block["source"];
  if (!isJsonObject(source) || source["type"] !== "base64") return undefined;
  const data = source["data"];
  return typeof data === "string" ? data : undefined;
}
