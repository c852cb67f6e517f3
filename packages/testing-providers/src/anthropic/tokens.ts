import { isJsonArray, isJsonObject, type JsonValue } from "../json.ts";
import { readImage } from "../server/images.ts";
import { base64Of } from "./image-block.ts";

/** The vendor scales a larger image down before it is counted. */
const MAX_IMAGE_TOKENS = 1_600;

/**
 * An estimate: four characters of JSON per token, and width × height / 750 for an image as the vendor documents. Deterministic and additive over blocks; the
 * vendor's own counts differ.
 */
export function estimateTokens(value: JsonValue): number {
  let imageTokens = 0;
  const text = JSON.stringify(value, (_key, part: JsonValue) => {
    if (!isJsonObject(part) || part["type"] !== "image") return part;
    const data = base64Of(part);
    const image = data === undefined ? undefined : readImage(data);
    imageTokens += image === undefined ? MAX_IMAGE_TOKENS : Math.min(MAX_IMAGE_TOKENS, Math.ceil((image.width * image.height) / 750));
    return null;
  });
  return Math.ceil(text.length / 4) + imageTokens;
}

/** The sum over the blocks of a prompt's parts. */
export function sumTokens(values: JsonValue | undefined): number {
  if (values === undefined) return 0;
  if (!isJsonArray(values)) return estimateTokens(values);
  return values.reduce<number>((sum, value) => sum + estimateTokens(value), 0);
}
