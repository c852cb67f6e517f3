import type * as photonModule from "@cf-wasm/photon/node";
import { flattenOnWhite, turnUpright, type Pixels } from "./pixels.ts";
import type { ImageCodec } from "./raster-image.ts";

type Photon = typeof photonModule;
type PhotonImage = photonModule.PhotonImage;

/** Decodes with Photon, whose WASM comes inside its package: PNG, JPEG, GIF (its first frame), WebP, BMP. */
export function createWasmCodec(photon: Photon): ImageCodec {
  return {
    async open({ bytes, orientation }) {
      const image = photon.PhotonImage.new_from_byteslice(bytes);
      // Resizing is the most expensive step, and several attempts have the same size.
      let last: { readonly sidePx: number; readonly upright: Pixels } | undefined;
      return {
        async render({ sidePx, mimeType, quality }) {
          if (last?.sidePx !== sidePx) last = { sidePx, upright: turnUpright(resize(photon, image, sidePx), orientation) };
          const { data, widthPx, heightPx } = last.upright;
          const isJpeg = mimeType === "image/jpeg";
          using written = new photon.PhotonImage(isJpeg ? flattenOnWhite(data) : data, widthPx, heightPx);
          return isJpeg ? written.get_bytes_jpeg(quality) : written.get_bytes();
        },
        [Symbol.dispose]: () => image.free(),
      };
    },
  };
}

function resize(photon: Photon, image: PhotonImage, sidePx: number): Pixels {
  const [width, height] = [image.get_width(), image.get_height()];
  const scale = Math.min(1, sidePx / Math.max(width, height));
  const target = (px: number): number => Math.max(1, Math.round(px * scale));
  using resized = photon.resize(image, target(width), target(height), photon.SamplingFilter.Triangle);
  return { data: resized.get_raw_pixels(), widthPx: resized.get_width(), heightPx: resized.get_height() };
}
