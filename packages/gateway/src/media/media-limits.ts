import type { ImageContent, ModelApi } from "@factotum/agent-contract";
import type { MediaKind } from "@factotum/channel-contract";

/** What a model takes as an image. */
export interface ImageLimits {
  /** Of the file itself; providers that count base64 are already converted. */
  readonly maxBytes: number;
  /** Of the longest side. */
  readonly maxSidePx: number;
  readonly mimeTypes: readonly ImageContent["mimeType"][];
}

const MEGABYTE = 1_000_000;
const ALL_TYPES: readonly ImageContent["mimeType"][] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** 5 MiB of base64, of which a quarter is lost to the encoding; some room is left for its padding. */
const ANTHROPIC_MAX_BYTES = 3_900_000;

/** The vendors' documented limits by wire format. Beyond them a request is refused. */
const PROVIDER_LIMITS: Readonly<Record<ModelApi, ImageLimits>> = {
  "anthropic-messages": { maxBytes: ANTHROPIC_MAX_BYTES, maxSidePx: 8_000, mimeTypes: ALL_TYPES },
  "openai-responses": { maxBytes: 15 * MEGABYTE, maxSidePx: 12_000, mimeTypes: ALL_TYPES },
  // Spoken by many servers; what they all read is this.
  "openai-chat": { maxBytes: 15 * MEGABYTE, maxSidePx: 12_000, mimeTypes: ["image/png", "image/jpeg"] },
  "google-generative-ai": { maxBytes: 7 * MEGABYTE, maxSidePx: 16_000, mimeTypes: ["image/png", "image/jpeg", "image/webp"] },
  mistral: { maxBytes: 10 * MEGABYTE, maxSidePx: 10_000, mimeTypes: ALL_TYPES },
  demo: { maxBytes: ANTHROPIC_MAX_BYTES, maxSidePx: 8_000, mimeTypes: ALL_TYPES },
};

/** What every one of these wire formats takes: a turn's images are the same when a fallback answers. */
export function imageLimits(apis: readonly ModelApi[] | "all"): ImageLimits {
  const limits = apis === "all" ? Object.values(PROVIDER_LIMITS) : apis.map((api) => PROVIDER_LIMITS[api]);
  return {
    maxBytes: Math.min(...limits.map(({ maxBytes }) => maxBytes)),
    maxSidePx: Math.min(...limits.map(({ maxSidePx }) => maxSidePx)),
    mimeTypes: ALL_TYPES.filter((type) => limits.every(({ mimeTypes }) => mimeTypes.includes(type))),
  };
}

/** Longest side that is sent: beyond it models see no more, and it costs tokens. */
export const SENT_SIDE_PX = 1_200;
/** A re-encoded image may keep its lossless form up to this size. */
export const LOSSLESS_MAX_BYTES: number = MEGABYTE;
/** Decoded, an image takes four bytes a pixel: this is checked in its header before anything decodes it. */
export const MAX_PIXELS: number = 50_000_000;
/** One turn's images: what fits into every vendor's request beside a long conversation. */
export const MAX_IMAGES = 20;
export const MAX_IMAGES_BYTES: number = 15 * MEGABYTE;

/** Largest attachment that is fetched, by what the platform says it is. */
export const FETCH_MAX_BYTES: Readonly<Record<MediaKind, number>> = {
  image: 20 * MEGABYTE,
  audio: 25 * MEGABYTE,
  video: 50 * MEGABYTE,
  file: 50 * MEGABYTE,
};
export const MAX_ATTACHMENTS = 20;
/** Attachments that are fetched at the same time. */
export const FETCH_CONCURRENCY = 3;
/** One attachment, its repetitions included. */
export const FETCH_TIMEOUT_MS = 60_000;
/** Up to this size an image stays in memory on its way to the model; a larger one waits in the media store. */
export const INLINE_MAX_BYTES: number = 2 * MEGABYTE;
/** Paths of one message that are followed. */
export const MAX_REFERENCES = 10;
