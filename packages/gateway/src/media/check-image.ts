import { readImageHeader } from "./images/image-header.ts";
import type { ImageFormat } from "./images/image-header.ts";
import { FETCH_MAX_BYTES, MAX_PIXELS } from "./media-limits.ts";

/** What clients of the gateway may hand in as an image. */
const MIME_TYPES: Partial<Readonly<Record<ImageFormat, string>>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** What handed-in bytes are, or why they are not taken; the message says what would be. */
export type CheckedImage =
  | { readonly type: "image"; readonly mimeType: string }
  | { readonly type: "refused"; readonly reason: "too-large" | "unreadable"; readonly message: string };

/** Looks at the bytes of an image that a client of the gateway hands in, while that client can still be told. What it says they are plays no part. */
export function checkImage(bytes: Uint8Array): CheckedImage {
  const maxBytes = FETCH_MAX_BYTES.image;
  if (bytes.length > maxBytes)
    return { type: "refused", reason: "too-large", message: `The image is larger than ${maxBytes / 1_000_000} MB` };
  const header = readImageHeader(bytes);
  const mimeType = header === undefined ? undefined : MIME_TYPES[header.format];
  if (header === undefined || mimeType === undefined)
    return { type: "refused", reason: "unreadable", message: "These bytes are no PNG, JPEG, GIF or WebP image" };
  if (!header.complete) return { type: "refused", reason: "unreadable", message: "The end of the image is missing" };
  if (header.widthPx * header.heightPx > MAX_PIXELS)
    return { type: "refused", reason: "too-large", message: `The image has more than ${MAX_PIXELS / 1_000_000} megapixels` };
  return { type: "image", mimeType };
}
