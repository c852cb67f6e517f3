import { imageSize } from "image-size";

/** The image types of this stage: those that models read, and those that can be converted. */
export type ImageFormat = "png" | "jpeg" | "gif" | "webp" | "bmp" | "tiff" | "heif" | "avif";

/** The facts in an image's header. */
export interface ImageHeader {
  readonly format: ImageFormat;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Camera orientation, 1 to 8 as in EXIF; 1 is upright. */
  readonly orientation: number;
  /** False if the end is missing: a decoder may still read it, a provider refuses it. */
  readonly complete: boolean;
}

const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: "png",
  jpg: "jpeg",
  gif: "gif",
  webp: "webp",
  bmp: "bmp",
  tiff: "tiff",
  heic: "heif",
  heif: "heif",
  avif: "avif",
};
const END_SAMPLE_BYTES = 1_024;

/** Reads the header; `undefined` if the bytes are not an image of a known type, or have no size. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  let size: ReturnType<typeof imageSize>;
  try {
    size = imageSize(bytes);
  } catch (error) {
    if (error instanceof Error) return undefined; // how the library says that it does not know the bytes
    throw error;
  }
  const format = FORMATS[size.type ?? ""];
  if (format === undefined || !isSide(size.width) || !isSide(size.height)) return undefined;
  const { orientation = 1 } = size;
  return {
    format,
    widthPx: size.width,
    heightPx: size.height,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    complete: isComplete(format, bytes),
  };
}

function isSide(px: number): boolean {
  return Number.isSafeInteger(px) && px > 0;
}

function isComplete(format: ImageFormat, bytes: Uint8Array): boolean {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(-END_SAMPLE_BYTES);
  switch (format) {
    case "png":
      return end.includes("IEND", 0, "latin1");
    case "jpeg":
      return end.includes(Buffer.from([0xff, 0xd9]));
    case "gif":
      return end.includes(Buffer.from([0x00, 0x3b]));
    case "webp":
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(4, true) + 8 <= bytes.byteLength;
    default:
      return true;
  }
}
