/** An image, four bytes per pixel (red, green, blue, alpha), row by row. */
export interface Pixels {
  readonly data: Uint8Array;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** The same image on white: a JPEG has no transparency, and text is mostly dark. */
export function flattenOnWhite(data: Uint8Array): Uint8Array {
  const flat = data.slice();
  for (let index = 0; index < flat.length; index += 4) {
    const alpha = (flat[index + 3] ?? 255) / 255;
    if (alpha === 1) continue;
    for (let channel = index; channel < index + 3; channel++) flat[channel] = Math.round((flat[channel] ?? 0) * alpha + 255 * (1 - alpha));
    flat[index + 3] = 255;
  }
  return flat;
}

/** Rotates an image upright that was stored with an EXIF orientation of 1 to 8. */
export function turnUpright(pixels: Pixels, orientation: number): Pixels {
  if (orientation <= 1 || orientation > 8) return pixels;
  const { widthPx, heightPx } = pixels;
  const swapped = orientation >= 5;
  const [targetWidth, targetHeight] = swapped ? [heightPx, widthPx] : [widthPx, heightPx];
  // Whole pixels are moved, so the byte order of the machine does not matter.
  const source = new Uint32Array(pixels.data.slice().buffer);
  const target = new Uint32Array(source.length);
  for (let y = 0; y < targetHeight; y++) {
    for (let x = 0; x < targetWidth; x++) {
      const [sourceX, sourceY] = sourceOf(orientation, { x, y, widthPx, heightPx });
      target[y * targetWidth + x] = source[sourceY * widthPx + sourceX] ?? 0;
    }
  }
  return { data: new Uint8Array(target.buffer), widthPx: targetWidth, heightPx: targetHeight };
}

/** The position of the upright image's pixel in the stored one. */
function sourceOf(
  orientation: number,
  { x, y, widthPx, heightPx }: { readonly x: number; readonly y: number; readonly widthPx: number; readonly heightPx: number },
): readonly [x: number, y: number] {
  const [right, bottom] = [widthPx - 1, heightPx - 1];
  switch (orientation) {
    case 2:
      return [right - x, y];
    case 3:
      return [right - x, bottom - y];
    case 4:
      return [x, bottom - y];
    case 5:
      return [y, x];
    case 6:
      return [y, bottom - x];
    case 7:
      return [right - y, bottom - x];
    default:
      return [right - y, x];
  }
}
