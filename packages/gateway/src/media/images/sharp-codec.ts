import type sharp from "sharp";
import type { ImageCodec } from "./raster-image.ts";

/** Decodes with sharp: libvips, native, fast. */
export function createSharpCodec(load: typeof sharp): ImageCodec {
  return {
    async open(job) {
      const source = load(job.bytes, { limitInputPixels: job.maxPixels, animated: false }).autoOrient();
      return {
        async render({ sidePx, mimeType, quality }) {
          const resized = source.clone().resize(sidePx, sidePx, { fit: "inside", withoutEnlargement: true });
          return mimeType === "image/png"
            ? resized.png({ compressionLevel: 9 }).toBuffer()
            : resized.flatten({ background: "#ffffff" }).jpeg({ quality }).toBuffer();
        },
        [Symbol.dispose]: () => source.destroy(),
      };
    },
  };
}
