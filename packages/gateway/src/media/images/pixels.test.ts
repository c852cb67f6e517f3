import fc from "fast-check";
import { expect, test } from "vitest";
import { turnUpright, type Pixels } from "./pixels.ts";

const pictures = fc
  .record({ widthPx: fc.integer({ min: 1, max: 9 }), heightPx: fc.integer({ min: 1, max: 9 }) })
  .chain(({ widthPx, heightPx }) =>
    fc
      .uint8Array({ minLength: widthPx * heightPx * 4, maxLength: widthPx * heightPx * 4 })
      .map((data): Pixels => ({ data, widthPx, heightPx })),
  );

const pixel = ({ data, widthPx }: Pixels, x: number, y: number): number[] => [
  ...data.subarray((y * widthPx + x) * 4, (y * widthPx + x) * 4 + 4),
];

test("rotation loses and invents no pixel, and the opposite rotation restores the image", () => {
  const inverse = [0, 1, 2, 3, 4, 5, 8, 7, 6];
  fc.assert(
    fc.property(pictures, fc.integer({ min: 1, max: 8 }), (picture, orientation) => {
      const turned = turnUpright(picture, orientation);
      expect([turned.widthPx, turned.heightPx]).toEqual(
        orientation >= 5 ? [picture.heightPx, picture.widthPx] : [picture.widthPx, picture.heightPx],
      );
      expect(turnUpright(turned, inverse[orientation] ?? 0)).toEqual(picture);
    }),
  );
});

test("an image stored on its side is rotated clockwise (EXIF 6)", () => {
  fc.assert(
    fc.property(pictures, (picture) => {
      const turned = turnUpright(picture, 6);
      expect(pixel(turned, turned.widthPx - 1, 0)).toEqual(pixel(picture, 0, 0));
      expect(pixel(turned, 0, 0)).toEqual(pixel(picture, 0, picture.heightPx - 1));
    }),
  );
});
