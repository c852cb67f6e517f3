import { readFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";
import { imageSize } from "image-size";
import sharp from "sharp";
import type { Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../../test/gateway-harness.ts";
import { imageLimits } from "../media-limits.ts";
import type { ImageLimits } from "../media-limits.ts";
import type { CodecChoice } from "./encode-job.ts";
import { fitImage } from "./fit-image.ts";
import { ImageEncoder } from "./image-encoder.ts";

const LIMITS = imageLimits(["anthropic-messages"]);
const signal = new AbortController().signal;

/** Four corners of different colours, so that rotation and mirroring are visible. */
async function corners(widthPx: number, heightPx: number): Promise<Sharp> {
  const half = { width: Math.ceil(widthPx / 2), height: Math.ceil(heightPx / 2), channels: 3 } as const;
  const part = async (background: string) =>
    sharp({ create: { ...half, background } })
      .png()
      .toBuffer();
  const base = sharp({ create: { width: widthPx, height: heightPx, channels: 3, background: "white" } });
  return sharp(
    await base
      .composite([
        { input: await part("red"), left: 0, top: 0 },
        { input: await part("lime"), left: Math.floor(widthPx / 2), top: 0 },
        { input: await part("blue"), left: 0, top: Math.floor(heightPx / 2) },
      ])
      .png()
      .toBuffer(),
  );
}

async function cornerColours(bytes: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): string => {
    const index = (y * info.width + x) * 3;
    const [red = 0, green = 0, blue = 0] = data.subarray(index, index + 3);
    return [red, green, blue].map((value) => (value > 127 ? "1" : "0")).join("");
  };
  const [right, bottom] = [info.width - 4, info.height - 4];
  return [at(3, 3), at(right, 3), at(3, bottom), at(right, bottom)];
}

function transparent(): Sharp {
  return sharp({ create: { width: 60, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
}

describe.each<CodecChoice>(["auto", "wasm"])("with the codec %s", (codec) => {
  let encoder: ImageEncoder;
  beforeAll(() => {
    encoder = new ImageEncoder({ clock: realClock, codec });
  });
  afterAll(async () => encoder.close());

  const fit = async (bytes: Uint8Array, limits: ImageLimits = LIMITS) => {
    const fitted = await fitImage(bytes, { limits, encoder, signal });
    if (fitted.type !== "image") return fitted;
    const data = Buffer.from(fitted.image.data, "base64");
    expect(fitted.sizeBytes).toBe(data.length);
    return { ...fitted, data, size: imageSize(data), mimeType: fitted.image.mimeType };
  };

  test.each(["png", "jpeg", "gif", "webp"] as const)("a %s within the limits is sent unchanged", async (format) => {
    const bytes = await (await corners(300, 200)).toFormat(format).toBuffer();
    expect(await fit(bytes)).toMatchObject({ type: "image", mimeType: `image/${format}`, data: bytes });
  });

  test.each(["png", "jpeg", "gif", "webp"] as const)("a large %s is reduced to 1,200 pixels at its longest side", async (format) => {
    const bytes = await (await corners(1_800, 900)).toFormat(format).toBuffer();
    const fitted = await fit(bytes);
    expect(fitted).toMatchObject({ type: "image", size: { width: 1_200, height: 600 } });
    if (fitted.type === "image") expect(await cornerColours(fitted.data)).toEqual(["100", "010", "001", "111"]);
  });

  test.each([
    [1, ["100", "010", "001", "111"], 300],
    [2, ["010", "100", "111", "001"], 300],
    [3, ["111", "001", "010", "100"], 300],
    [4, ["001", "111", "100", "010"], 300],
    [5, ["100", "001", "010", "111"], 200],
    [6, ["001", "100", "111", "010"], 200],
    [7, ["111", "010", "001", "100"], 200],
    [8, ["010", "111", "100", "001"], 200],
  ])("a photo with EXIF orientation %i is rotated upright", async (orientation, colours, width) => {
    const bytes = await (await corners(300, 200)).withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer();
    const fitted = await fit(bytes);
    expect(fitted).toMatchObject({ type: "image", mimeType: "image/jpeg", size: { width } });
    if (fitted.type === "image") expect(await cornerColours(fitted.data)).toEqual(colours);
  });

  test("an image over the byte limit is reduced until it fits", async () => {
    const noise = Buffer.from(Array.from({ length: 900 * 900 * 3 }, (_, index) => Math.imul(index ^ (index >>> 7), 2_654_435_761) >>> 24));
    const bytes = await sharp(noise, { raw: { width: 900, height: 900, channels: 3 } })
      .png()
      .toBuffer();
    const fitted = await fit(bytes, { ...LIMITS, maxBytes: 120_000 });
    expect(fitted).toMatchObject({ type: "image", mimeType: "image/jpeg" });
    if (fitted.type === "image") expect(fitted.sizeBytes).toBeLessThanOrEqual(120_000);
  });

  test("an image that no attempt makes small enough is dropped", async () => {
    const bytes = await (await corners(1_500, 900)).png().toBuffer();
    expect(await fit(bytes, { ...LIMITS, maxBytes: 200 })).toEqual({ type: "omitted", reason: "too-large" });
  });

  test("a type that the model does not accept is converted, and keeps its transparency", async () => {
    const fitted = await fit(await transparent().webp().toBuffer(), imageLimits(["openai-chat"]));
    expect(fitted).toMatchObject({ type: "image", mimeType: "image/png", size: { width: 60, height: 40 } });
    if (fitted.type === "image") expect((await sharp(fitted.data).stats()).isOpaque).toBe(false);
  });

  test("transparent pixels become white in a JPEG", async () => {
    const bytes = await transparent().png().toBuffer();
    const job = { bytes, orientation: 1, maxSidePx: 60, maxBytes: 100_000, losslessMaxBytes: 0, maxPixels: 10_000 };
    const result = await encoder.encode(job, { signal });
    expect(result).toMatchObject({ type: "encoded", mimeType: "image/jpeg" });
    if (result.type === "encoded") expect(await cornerColours(result.bytes)).toEqual(["111", "111", "111", "111"]);
  });

  test("of an oversized animated GIF the first frame is sent", async () => {
    const frame = async (background: string) =>
      sharp({ create: { width: 1_400, height: 700, channels: 3, background } })
        .png()
        .toBuffer();
    const frames = await Promise.all(["red", "blue"].map(frame));
    const bytes = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const fitted = await fit(bytes);
    expect(fitted).toMatchObject({ type: "image", size: { width: 1_200, height: 600 } });
    if (fitted.type === "image") expect(await cornerColours(fitted.data)).toEqual(["100", "100", "100", "100"]);
  });

  test("an animated GIF within the limits stays animated", async () => {
    const frame = async (background: string) =>
      sharp({ create: { width: 40, height: 30, channels: 3, background } })
        .png()
        .toBuffer();
    const bytes = await sharp(await Promise.all(["red", "blue"].map(frame)), { join: { animated: true } })
      .gif()
      .toBuffer();
    expect(await fit(bytes)).toMatchObject({ type: "image", mimeType: "image/gif", data: bytes });
  });

  test("a truncated image is never sent unchanged", async () => {
    const bytes = await (await corners(400, 300)).jpeg().toBuffer();
    const half = bytes.subarray(0, bytes.length / 2);
    const fitted = await fit(half);
    if (fitted.type === "image") expect(fitted.data.equals(half)).toBe(false);
    else expect(fitted).toEqual({ type: "omitted", reason: "unreadable" });
    // It does not affect the next one.
    expect(await fit(await (await corners(1_300, 100)).png().toBuffer())).toMatchObject({ type: "image", size: { width: 1_200 } });
  });
});

describe("hostile files", () => {
  const encoder = new ImageEncoder({ clock: realClock });
  afterAll(async () => encoder.close());
  const fit = async (bytes: Uint8Array) => fitImage(bytes, { limits: LIMITS, encoder, signal });

  test.each([
    ["a PNG of 60,000 by 60,000 pixels", pngOf(60_000, 60_000)],
    ["a PNG that claims 2^31 pixels a side", pngOf(0x7fffffff, 0x7fffffff)],
  ])("%s is refused by its header, before any decoder is loaded", async (_name, bytes) => {
    expect(await fit(bytes)).toEqual({ type: "omitted", reason: "too-large" });
    expect(encoder.isLoaded).toBe(false);
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["text", Buffer.from("a picture of a cat")],
    ["a PNG without a size", Buffer.from("\x89PNG\r\n\x1a\n", "latin1")],
    ["a size of nought", pngOf(0, 0)],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>')],
  ])("%s is not an image", async (_name, bytes) => {
    expect(await fit(bytes)).toEqual({ type: "omitted", reason: "unreadable" });
    expect(encoder.isLoaded).toBe(false);
  });

  test("this file is not an image", async () => {
    expect(await fit(await readFile(new URL(import.meta.url)))).toEqual({ type: "omitted", reason: "unreadable" });
  });
});

/** A PNG of one colour and any claimed size: a few hundred bytes. */
function pngOf(widthPx: number, heightPx: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(widthPx, 0);
  header.writeUInt32BE(heightPx, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(100_000))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
