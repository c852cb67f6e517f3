/** The output formats of re-encoding: every model reads both. */
export type EncodedMimeType = "image/png" | "image/jpeg";

/** One image to be reduced. Copied into the worker. */
export interface EncodeJob {
  readonly bytes: Uint8Array;
  /** How the image is rotated upright, as in EXIF. */
  readonly orientation: number;
  /** Longest side of the result. */
  readonly maxSidePx: number;
  readonly maxBytes: number;
  /** A lossless result is kept up to this size; 0 for lossy sources. */
  readonly losslessMaxBytes: number;
  /** Decoders that can check it refuse more. */
  readonly maxPixels: number;
}

/** The result. */
export type EncodeResult =
  | { readonly type: "encoded"; readonly bytes: Uint8Array; readonly mimeType: EncodedMimeType }
  /** The bytes could not be decoded, or no attempt was small enough. */
  | { readonly type: "failed"; readonly message: string };

/** The codec of a worker: `auto` uses sharp if it is installed. */
export type CodecChoice = "auto" | "wasm";
