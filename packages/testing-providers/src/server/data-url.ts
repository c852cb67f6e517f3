import { isBase64, readImage } from "./images.ts";

/** The parsed address of an image. */
export type ImageUrl =
  | { readonly type: "remote" }
  | {
      readonly type: "inline";
      readonly mediaType: string;
      readonly base64: string;
      readonly readable: boolean;
      readonly wellFormed: boolean;
    }
  | { readonly type: "neither" };

/** Parses an image's address; an inline one is decoded to check whether it is an image. */
export function readImageUrl(url: string): ImageUrl {
  if (/^https?:\/\//.test(url)) return { type: "remote" };
  const match = /^data:([^;,]*);base64,(.*)$/s.exec(url);
  if (match === null) return { type: "neither" };
  const [, mediaType = "", base64 = ""] = match;
  const wellFormed = isBase64(base64);
  return { type: "inline", mediaType, base64, wellFormed, readable: wellFormed && readImage(base64) !== undefined };
}
