import type { JsonObject, JsonValue } from "../json.ts";
import { createShapeCheck } from "../strict/shape-check.ts";
import type { MediaReply, MediaRequest } from "./media-request.ts";

const ASPECTS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp"];

function message(properties: Readonly<Record<string, JsonValue>>, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

const INLINE_DATA = message({ mimeType: { enum: IMAGE_TYPES }, data: { type: "string", minLength: 1, pattern: "^[A-Za-z0-9+/]+=*$" } }, [
  "mimeType",
  "data",
]);
const PART = { ...message({ text: { type: "string", minLength: 1 }, inlineData: INLINE_DATA }, []), minProperties: 1, maxProperties: 1 };
const CONTENT = message({ role: { const: "user" }, parts: { type: "array", minItems: 1, items: PART } }, ["role", "parts"]);
const CONFIG = message(
  {
    responseModalities: { type: "array", minItems: 1, maxItems: 1, items: { const: "IMAGE" } },
    imageConfig: message({ aspectRatio: { enum: ASPECTS } }, []),
  },
  ["responseModalities"],
);

/** A request to an image model of Gemini, as far as it is one for images alone. */
const checkShape = createShapeCheck(
  message({ contents: { type: "array", minItems: 1, maxItems: 1, items: CONTENT }, generationConfig: CONFIG }, [
    "contents",
    "generationConfig",
  ]),
);

/** Google's refusal of a request, or `undefined` for a good one. */
export function checkGoogleMedia({ path, authorization, fields }: MediaRequest, key: string): MediaReply | undefined {
  if (!/^\/models\/gemini-[a-z0-9.-]*image[a-z0-9.-]*:generateContent$/.test(path))
    return refusal(404, "NOT_FOUND", `${path} is not found for API version v1beta.`);
  if (authorization !== key) return refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
  const [fault] = checkShape(fields as JsonObject);
  if (fault === undefined) return undefined;
  return refusal(400, "INVALID_ARGUMENT", `Invalid JSON payload received: ${fault.type} at ${fault.path.join(".")}.`);
}

function refusal(code: number, status: string, text: string): MediaReply {
  return { type: "json", status: code, body: { error: { code, message: text, status } } };
}
