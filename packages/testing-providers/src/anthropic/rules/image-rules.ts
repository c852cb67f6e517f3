import { isJsonObject, type JsonObject, showJson } from "../../json.ts";
import { isBase64, readImage } from "../../server/images.ts";
import { base64Of } from "../image-block.ts";
import { blocksOfType, type BlockView, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { firstOf } from "./field-rules.ts";

const MEDIA_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/** Of the base64 text, as the vendor measures. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_PIXELS = 8_000;
/** The limit per side once a request has more than {@link MANY_IMAGES}. */
const MAX_PIXELS_OF_MANY = 2_000;
const MANY_IMAGES = 20;

function sourceOf(block: BlockView): JsonObject {
  const source = block.value["source"];
  return isJsonObject(source) ? source : {};
}

/** Blocks with well-formed base64 in them. */
function* inlineImages(view: RequestView): Generator<readonly [block: BlockView, base64: string]> {
  for (const block of blocksOfType(view, "image")) {
    const base64 = base64Of(block.value);
    if (base64 !== undefined && isBase64(base64)) yield [block, base64];
  }
}

/** Images in messages and in tool results. */
export const IMAGE_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "image-source",
    description: "An image comes as base64 or as an https URL.",
    vendorText: "….image.source: Input tag '…' found using 'type' does not match any of the expected tags: 'base64', 'url'",
    check: (view) =>
      firstOf(blocksOfType(view, "image"), (block) => {
        const { type, url, data } = sourceOf(block);
        if (type === "url") return typeof url === "string" && url.startsWith("https://") ? undefined : "Only HTTPS URLs are supported.";
        if (type === "base64") return typeof data === "string" ? undefined : `${block.path}.image.source.base64.data: Field required`;
        return `${block.path}.image.source: Input tag '${showJson(type)}' found using 'type' does not match any of the expected tags: 'base64', 'url'`;
      }),
  }),
  bodyRule({
    id: "image-media-type",
    description: "An image is declared as jpeg, png, gif or webp.",
    vendorText: "….image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    check: (view) =>
      firstOf(inlineImages(view), ([block]) =>
        MEDIA_TYPES.includes(showJson(sourceOf(block)["media_type"]))
          ? undefined
          : `${block.path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
      ),
  }),
  bodyRule({
    id: "image-base64",
    description: "An image's data is base64.",
    vendorText: "….image.source.base64.data: invalid base64 data",
    check: (view) =>
      firstOf(blocksOfType(view, "image"), (block) => {
        const data = base64Of(block.value);
        return data === undefined || isBase64(data) ? undefined : `${block.path}.image.source.base64.data: invalid base64 data`;
      }),
  }),
  bodyRule({
    id: "image-readable",
    description: "An image's bytes are an image.",
    vendorText: "Could not process image",
    check: (view) => firstOf(inlineImages(view), ([, base64]) => (readImage(base64) === undefined ? "Could not process image" : undefined)),
  }),
  bodyRule({
    id: "image-mismatch",
    description: "An image is of the kind that it is declared as.",
    vendorText: "….image.source.base64: The image was specified using the image/… media type, but the image appears to be a image/… image",
    check: (view) =>
      firstOf(inlineImages(view), ([block, base64]) => {
        const declared = showJson(sourceOf(block)["media_type"]);
        const actual = readImage(base64)?.mediaType;
        return actual === undefined || actual === declared || !MEDIA_TYPES.includes(declared)
          ? undefined
          : `${block.path}.image.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${actual} image`;
      }),
  }),
  bodyRule({
    id: "image-bytes",
    description: "An image has at most 5 MB as base64.",
    vendorText: "….image.source.base64: image exceeds 5 MB maximum: … bytes > 5242880 bytes",
    check: (view) =>
      firstOf(inlineImages(view), ([block, base64]) =>
        base64.length > MAX_IMAGE_BYTES
          ? `${block.path}.image.source.base64: image exceeds 5 MB maximum: ${base64.length} bytes > ${MAX_IMAGE_BYTES} bytes`
          : undefined,
      ),
  }),
  bodyRule({
    id: "image-pixels",
    description: "An image has at most 8000 pixels a side.",
    vendorText: "….image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    check: (view) => tooLarge(view, MAX_PIXELS, `${MAX_PIXELS} pixels`),
  }),
  bodyRule({
    id: "image-pixels-of-many",
    description: "In a request with more than 20 images each has at most 2000 pixels a side.",
    vendorText: "….: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    check: (view) =>
      [...blocksOfType(view, "image")].length > MANY_IMAGES
        ? tooLarge(view, MAX_PIXELS_OF_MANY, `${MAX_PIXELS_OF_MANY} pixels`, " for many-image requests")
        : undefined,
  }),
];

function tooLarge(view: RequestView, maxPixels: number, limit: string, which = ""): string | undefined {
  return firstOf(inlineImages(view), ([block, base64]) => {
    const image = readImage(base64);
    return image !== undefined && Math.max(image.width, image.height) > maxPixels
      ? `${block.path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${which}: ${limit}`
      : undefined;
  });
}
