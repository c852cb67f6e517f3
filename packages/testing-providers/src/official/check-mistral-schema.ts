import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "../json.ts";

/**
 * Checks a body against the schemas of Mistral's official SDK. These convert the SDK's own shape into the wire's; so the body is passed in the SDK's spelling,
 * and the result must equal it except for defaults. Undefined if it does.
 */
export async function checkMistralSchema(body: JsonObject): Promise<string | undefined> {
  // Loaded on use: the SDK is large.
  const { ChatCompletionStreamRequest$outboundSchema: schema } = await import("@mistralai/mistralai/models/components");
  const parsed = schema.safeParse(camelKeys(body));
  if (!parsed.success) return parsed.error.message;
  const sent = JSON.parse(JSON.stringify(parsed.data)) as JsonObject;
  const lost = Object.keys(body).find((field) => !isDeepStrictEqual(sent[field], body[field]) && !isWithin(body[field], sent[field]));
  return lost === undefined ? undefined : `The SDK would not have sent "${lost}" as it stands here.`;
}

/** Fields whose names are not the vendor's. */
const OPAQUE = new Set(["parameters", "arguments", "metadata"]);

function camelKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      OPAQUE.has(key) ? inner : camelKeys(inner as JsonValue),
    ]),
  );
}

/** True if one value is contained in the other, which may have additional defaults. */
function isWithin(part: JsonValue | undefined, whole: JsonValue | undefined): boolean {
  if (Array.isArray(part))
    return (
      Array.isArray(whole) &&
      part.length === whole.length &&
      part.every((item, index) => isWithin(item as JsonValue, whole[index] as JsonValue))
    );
  if (typeof part !== "object" || part === null) return part === whole;
  if (typeof whole !== "object" || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, inner]) => isWithin(inner as JsonValue, (whole as JsonObject)[key]));
}
