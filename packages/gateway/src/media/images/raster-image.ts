import type { EncodeJob, EncodedMimeType, EncodeResult } from "./encode-job.ts";

/** How an image is written. */
interface RenderOptions {
  /** Longest side; a smaller image is not enlarged. */
  readonly sidePx: number;
  readonly mimeType: EncodedMimeType;
  /** JPEG quality, 1 to 100. */
  readonly quality: number;
}

/** A decoded image of any codec. Upright; without metadata when written. */
interface RasterImage extends Disposable {
  render(options: RenderOptions): Promise<Uint8Array>;
}

/** Decodes images. Rejects for unreadable bytes. */
export interface ImageCodec {
  open(job: EncodeJob): Promise<RasterImage>;
}

const QUALITIES = [80, 60, 40];
const SCALES = [1, 0.75, 0.5];

/** Encodes the image so that it fits, with minimal loss: lossless if that is small, then lower quality, then smaller size. */
export async function encodeWithin(job: EncodeJob, codec: ImageCodec): Promise<EncodeResult> {
  using image = await codec.open(job);
  const losslessMaxBytes = Math.min(job.maxBytes, job.losslessMaxBytes);
  if (losslessMaxBytes > 0) {
    const bytes = await image.render({ sidePx: job.maxSidePx, mimeType: "image/png", quality: 100 });
    if (bytes.length <= losslessMaxBytes) return { type: "encoded", bytes, mimeType: "image/png" };
  }
  for (const scale of SCALES) {
    for (const quality of QUALITIES) {
      const sidePx = Math.max(1, Math.floor(job.maxSidePx * scale));
      const bytes = await image.render({ sidePx, mimeType: "image/jpeg", quality });
      if (bytes.length <= job.maxBytes) return { type: "encoded", bytes, mimeType: "image/jpeg" };
    }
  }
  return { type: "failed", message: `even small it has more than ${job.maxBytes} bytes` };
}
