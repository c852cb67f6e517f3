import type { ImageContent } from "@factotum/agent-contract";
import type { ImageLimits } from "../media-limits.ts";
import { LOSSLESS_MAX_BYTES, MAX_PIXELS, SENT_SIDE_PX } from "../media-limits.ts";
import type { ImageEncoder } from "./image-encoder.ts";
import { readImageHeader, type ImageFormat, type ImageHeader } from "./image-header.ts";
import { stripMetadata } from "./strip-metadata.ts";

/** The image to send, or why there is none. */
export type FittedImage =
  | { readonly type: "image"; readonly image: ImageContent; readonly sizeBytes: number }
  | { readonly type: "omitted"; readonly reason: "too-large" | "unreadable" };

const SENT_TYPES: Partial<Readonly<Record<ImageFormat, ImageContent["mimeType"]>>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/**
 * Makes an image fit: unchanged if it is small, upright and of an accepted type; else re-encoded. If that fails it is sent unchanged if the provider accepts
 * it, else not at all. Metadata about where, when and with what it was taken is removed in both cases.
 */
export async function fitImage(
  bytes: Uint8Array,
  options: { readonly limits: ImageLimits; readonly encoder: ImageEncoder; readonly signal: AbortSignal },
): Promise<FittedImage> {
  const { limits, encoder, signal } = options;
  const header = readImageHeader(bytes);
  if (header === undefined) return { type: "omitted", reason: "unreadable" };
  if (header.widthPx * header.heightPx > MAX_PIXELS) return { type: "omitted", reason: "too-large" };
  const mimeType = SENT_TYPES[header.format];
  const isTakenSo = mimeType !== undefined && isTaken(bytes, header, mimeType, limits);
  const plain = isTakenSo ? stripMetadata(bytes, header.format) : undefined;
  const original = isTakenSo && plain !== undefined ? sent(plain, mimeType) : undefined;
  if (original !== undefined && header.orientation === 1 && longestSide(header) <= SENT_SIDE_PX) return original;
  const result = await encoder.encode(
    {
      bytes,
      orientation: header.orientation,
      maxSidePx: SENT_SIDE_PX,
      maxBytes: limits.maxBytes,
      losslessMaxBytes: header.format === "jpeg" ? 0 : LOSSLESS_MAX_BYTES,
      maxPixels: MAX_PIXELS,
    },
    { signal },
  );
  if (result.type === "encoded") return sent(result.bytes, result.mimeType);
  const isTooLarge = bytes.length > limits.maxBytes || longestSide(header) > limits.maxSidePx;
  return original ?? { type: "omitted", reason: isTooLarge ? "too-large" : "unreadable" };
}

function isTaken(bytes: Uint8Array, header: ImageHeader, mimeType: ImageContent["mimeType"], limits: ImageLimits): boolean {
  return (
    header.complete && limits.mimeTypes.includes(mimeType) && bytes.length <= limits.maxBytes && longestSide(header) <= limits.maxSidePx
  );
}

function longestSide({ widthPx, heightPx }: ImageHeader): number {
  return Math.max(widthPx, heightPx);
}

function sent(bytes: Uint8Array, mimeType: ImageContent["mimeType"]): FittedImage {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", image: { type: "image", data, mimeType }, sizeBytes: bytes.length };
}
