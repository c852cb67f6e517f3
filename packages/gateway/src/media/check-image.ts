import { readImageHeader } from "./images/image-header.ts";
import type { ImageFormat } from "./images/image-header.ts";
import { FETCH_MAX_BYTES, MAX_PIXELS } from "./media-limits.ts";

/** Images that clients of the gateway may upload. */
const MIME_TYPES: Partial<Readonly<Record<ImageFormat, string>>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};

/** The type of uploaded bytes, or why they are refused; the message lists the accepted types. */
export type CheckedImage =
  | { readonly type: "image"; readonly mimeType: string }
  | { readonly type: "refused"; readonly reason: "too-large" | "unreadable"; readonly message: string };

/** Checks the bytes of an uploaded image while the client still waits for the response. The declared type does not matter. */
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
