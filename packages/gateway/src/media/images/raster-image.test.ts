import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeWithin } from "./raster-image.ts";

const jobs = fc.record({
  bytes: fc.constant(new Uint8Array()),
  orientation: fc.constant(1),
  maxSidePx: fc.integer({ min: 1, max: 2_000 }),
  maxBytes: fc.nat(5_000),
  losslessMaxBytes: fc.nat(5_000),
  maxPixels: fc.constant(1),
});

test("any codec's result fits, is within the sides, and the image is released", async () => {
  await fc.assert(
    fc.asyncProperty(jobs, fc.integer({ min: 1, max: 8_000 }), async (job, weight) => {
      const sides: number[] = [];
      const jpegBytes: number[] = [];
      let open = 0;
      const result = await encodeWithin(job, {
        open: async () => {
          open += 1;
          return {
            render: async ({ sidePx, mimeType, quality }) => {
              sides.push(sidePx);
              const factor = mimeType === "image/png" ? 2 : quality / 100;
              const sizeBytes = Math.ceil((weight * factor * sidePx) / job.maxSidePx);
              if (mimeType === "image/jpeg") jpegBytes.push(sizeBytes);
              return new Uint8Array(sizeBytes);
            },
            [Symbol.dispose]: () => void (open -= 1),
          };
        },
      });
      expect(open).toBe(0);
      for (const side of sides) expect(side).toSatisfy((px: number) => px >= 1 && px <= job.maxSidePx);
      if (result.type === "failed") expect(Math.min(...jpegBytes)).toBeGreaterThan(job.maxBytes);
      else expect(result.bytes.length).toBeLessThanOrEqual(job.maxBytes);
      if (result.type === "encoded" && result.mimeType === "image/png")
        expect(result.bytes.length).toBeLessThanOrEqual(job.losslessMaxBytes);
    }),
  );
});
