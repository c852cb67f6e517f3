import { imageSize } from "image-size";

/** Facts from the bytes of an image. */
export interface ImageFacts {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = { png: "image/png", jpg: "image/jpeg", gif: "image/gif", webp: "image/webp" };

/** Strict base64: right alphabet, right padding, not empty. */
export function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Type and size from the bytes; undefined if they are not an image that the vendor reads. */
export function readImage(base64: string): ImageFacts | undefined {
  try {
    const { type = "", width, height } = imageSize(Buffer.from(base64, "base64"));
    const mediaType = MEDIA_TYPES[type];
    return mediaType === undefined ? undefined : { mediaType, width, height };
  } catch (error) {
    if (error instanceof Error) return undefined; // the library throws for bytes of an unknown or broken kind
    throw error;
  }
}
