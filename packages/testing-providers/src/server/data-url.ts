import { isBase64, readImage } from "./images.ts";

/** What an image's address is. */
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

/** Takes an image's address apart; an inline one is decoded to see whether there is an image in it. */
export function readImageUrl(url: string): ImageUrl {
  if (/^https?:\/\//.test(url)) return { type: "remote" };
  const match = /^data:([^;,]*);base64,(.*)$/s.exec(url);
  if (match === null) return { type: "neither" };
  const [, mediaType = "", base64 = ""] = match;
  const wellFormed = isBase64(base64);
  return { type: "inline", mediaType, base64, wellFormed, readable: wellFormed && readImage(base64) !== undefined };
}
