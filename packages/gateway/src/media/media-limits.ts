import type { ImageContent, ModelApi } from "@factotum/agent-contract";
import type { MediaKind } from "@factotum/channel-contract";

/** A model's limits for images. */
export interface ImageLimits {
  /** Of the file itself; limits of base64 are already converted. */
  readonly maxBytes: number;
  /** Of the longest side. */
  readonly maxSidePx: number;
  readonly mimeTypes: readonly ImageContent["mimeType"][];
}

const MEGABYTE = 1_000_000;
const ALL_TYPES: readonly ImageContent["mimeType"][] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** 5 MiB of base64, of which a quarter is encoding overhead, with a reserve for its padding. */
const ANTHROPIC_MAX_BYTES = 3_900_000;

/** The vendors' documented limits by wire format. Larger requests are refused. */
const PROVIDER_LIMITS: Readonly<Record<ModelApi, ImageLimits>> = {
  "anthropic-messages": { maxBytes: ANTHROPIC_MAX_BYTES, maxSidePx: 8_000, mimeTypes: ALL_TYPES },
  "openai-responses": { maxBytes: 15 * MEGABYTE, maxSidePx: 12_000, mimeTypes: ALL_TYPES },
  // Used by many servers; this is the common subset.
  "openai-chat": { maxBytes: 15 * MEGABYTE, maxSidePx: 12_000, mimeTypes: ["image/png", "image/jpeg"] },
  "google-generative-ai": { maxBytes: 7 * MEGABYTE, maxSidePx: 16_000, mimeTypes: ["image/png", "image/jpeg", "image/webp"] },
  mistral: { maxBytes: 10 * MEGABYTE, maxSidePx: 10_000, mimeTypes: ALL_TYPES },
  demo: { maxBytes: ANTHROPIC_MAX_BYTES, maxSidePx: 8_000, mimeTypes: ALL_TYPES },
};

/** The common subset of these wire formats: a turn's images are the same if a fallback answers. */
export function imageLimits(apis: readonly ModelApi[] | "all"): ImageLimits {
  const limits = apis === "all" ? Object.values(PROVIDER_LIMITS) : apis.map((api) => PROVIDER_LIMITS[api]);
  return {
    maxBytes: Math.min(...limits.map(({ maxBytes }) => maxBytes)),
    maxSidePx: Math.min(...limits.map(({ maxSidePx }) => maxSidePx)),
    mimeTypes: ALL_TYPES.filter((type) => limits.every(({ mimeTypes }) => mimeTypes.includes(type))),
  };
}

/** Longest side that is sent: more costs tokens without any gain. */
export const SENT_SIDE_PX = 1_200;
/** A re-encoded image may stay lossless up to this size. */
export const LOSSLESS_MAX_BYTES: number = MEGABYTE;
/** A decoded image takes four bytes per pixel: checked in its header before anything decodes it. */
export const MAX_PIXELS: number = 50_000_000;
/** Maximum images of one turn: they fit into every vendor's request together with a long conversation. */
export const MAX_IMAGES = 20;
export const MAX_IMAGES_BYTES: number = 15 * MEGABYTE;

/** Largest attachment that is fetched, by its declared size. */
export const FETCH_MAX_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 20 * MEGABYTE,
  audio: 25 * MEGABYTE,
  video: 50 * MEGABYTE,
  file: 50 * MEGABYTE,
};
export const MAX_ATTACHMENTS = 20;
/** Concurrent fetches of attachments. */
export const FETCH_CONCURRENCY = 3;
/** Time limit of one attachment, retries included. */
export const FETCH_TIMEOUT_MS = 60_000;
/** Up to this size an image stays in memory until it is sent; a larger one waits in the media store. */
export const INLINE_MAX_BYTES: number = 2 * MEGABYTE;
/** Maximum paths of one message that are loaded. */
export const MAX_REFERENCES = 10;
