import type * as photonModule from "@cf-wasm/photon/node";
import { flattenOnWhite, turnUpright, type Pixels } from "./pixels.ts";
import type { ImageCodec } from "./raster-image.ts";

type Photon = typeof photonModule;
type PhotonImage = photonModule.PhotonImage;

/** Decodes with Photon, whose WASM comes inside its package: PNG, JPEG, GIF (its first picture), WebP, BMP. */
export function createWasmCodec(photon: Photon): ImageCodec {
  return {
    async open({ bytes, orientation }) {
      const image = photon.PhotonImage.new_from_byteslice(bytes);
      return {
        async render({ sidePx, mimeType, quality }) {
          using resized = resize(photon, image, sidePx);
          const upright = turnUpright(pixelsOf(resized), orientation);
          if (mimeType === "image/jpeg") flattenOnWhite(upright.data);
          using written = new photon.PhotonImage(upright.data, upright.widthPx, upright.heightPx);
          return mimeType === "image/png" ? written.get_bytes() : written.get_bytes_jpeg(quality);
        },
        [Symbol.dispose]: () => image.free(),
      };
    },
  };
}

function resize(photon: Photon, image: PhotonImage, sidePx: number): PhotonImage {
  const [width, height] = [image.get_width(), image.get_height()];
  const scale = Math.min(1, sidePx / Math.max(width, height));
  const target = (px: number): number => Math.max(1, Math.round(px * scale));
  return photon.resize(image, target(width), target(height), photon.SamplingFilter.Triangle);
}

function pixelsOf(image: PhotonImage): Pixels {
  return { data: image.get_raw_pixels(), widthPx: image.get_width(), heightPx: image.get_height() };
}
