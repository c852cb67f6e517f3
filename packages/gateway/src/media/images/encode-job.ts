/** The forms that images are re-encoded to: every model reads both. */
export type EncodedMimeType = "image/png" | "image/jpeg";

/** One image to be made smaller. Copied into the worker. */
export interface EncodeJob {
  readonly bytes: Uint8Array;
  /** How the picture is turned upright, as in EXIF. */
  readonly orientation: number;
  /** Longest side of the result. */
  readonly maxSidePx: number;
  readonly maxBytes: number;
  /** A lossless result is kept up to this size; 0 for sources that were not lossless. */
  readonly losslessMaxBytes: number;
  /** Decoders that can check it refuse more. */
  readonly maxPixels: number;
}

/** What became of it. */
export type EncodeResult =
  | { readonly type: "encoded"; readonly bytes: Uint8Array; readonly mimeType: EncodedMimeType }
  /** The bytes could not be decoded, or no try was small enough. */
  | { readonly type: "failed"; readonly message: string };

/** Which codec a worker uses: `auto` takes sharp when it is installed. */
export type CodecChoice = "auto" | "wasm";
