import fc from "fast-check";
import sharp from "sharp";
import type { Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { readImageHeader } from "./image-header.ts";
import { stripMetadata } from "./strip-metadata.ts";

const SECRETS = /Somewhere|51\/1|MakerOfCameras|xpacket|Adobe XMP|SECRET/;

function picture(): Sharp {
  const pixels = Buffer.from(Array.from({ length: 48 * 32 * 3 }, (_, index) => (index * 7919) % 256));
  return sharp(pixels, { raw: { width: 48, height: 32, channels: 3 } });
}

/** Like a phone's: a place, a device, a description, and a large block of XML. */
const asTaken = (image: Sharp): Sharp =>
  image
    .withExif({
      IFD0: { Make: "MakerOfCameras", ImageDescription: "Somewhere" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 3230/100" },
    })
    .withXmp('<?xpacket begin="SECRET"?><x:xmpmeta xmlns:x="adobe:ns:meta/"/><?xpacket end="w"?>')
    .withIccProfile("p3");

const FORMATS: readonly (readonly ["jpeg" | "png" | "webp", string, (image: Sharp) => Sharp])[] = [
  ["jpeg", "jpeg", (image) => image.jpeg({ quality: 90 })],
  ["jpeg", "progressive jpeg", (image) => image.jpeg({ progressive: true })],
  ["png", "png", (image) => image.png()],
  ["webp", "webp", (image) => image.webp({ quality: 90 })],
  ["webp", "lossless webp", (image) => image.webp({ lossless: true })],
];

async function pixels(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).raw().toBuffer();
}

/** A GIF of one pixel with typical metadata of programs. */
const GIF_HEAD = Buffer.from("47494638396101000100800000000000ffffff", "hex");
const GIF_END = Buffer.from("2c00000000010001000002024401003b", "hex");
const gifBlock = (label: number, ...texts: readonly string[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x21, label]),
    ...texts.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text, "latin1")]),
    Buffer.from([0]),
  ]);

describe.each(FORMATS)("%s (%s)", (format, _name, write) => {
  test("keeps every pixel and the colours, and no metadata about where, when and with what it was taken", async () => {
    const taken = await write(asTaken(picture())).toBuffer();
    expect(taken.toString("latin1")).toMatch(SECRETS);
    expect(await sharp(taken).metadata()).toMatchObject({ exif: expect.anything() as unknown });
    const stripped = stripMetadata(Buffer.concat([taken, Buffer.from("SECRET behind the end")]), format);
    if (stripped === undefined) throw new Error("it was not understood");
    expect(Buffer.from(stripped).toString("latin1")).not.toMatch(SECRETS);
    const facts = await sharp(stripped).metadata();
    expect([facts.exif, facts.xmp, facts.icc === undefined]).toEqual([undefined, undefined, false]);
    expect(await pixels(stripped)).toEqual(await pixels(taken));
    expect(readImageHeader(stripped)).toMatchObject({ format, widthPx: 48, heightPx: 32, orientation: 1, complete: true });
    expect(stripMetadata(stripped, format)).toBe(stripped);
  });

  test("is unchanged if there is nothing to remove, and fails if it is truncated", async () => {
    const plain = await write(picture()).toBuffer();
    expect(stripMetadata(plain, format)).toBe(plain);
    expect(stripMetadata(plain.subarray(0, plain.length - 20), format)).toBeUndefined();
  });
});

test("a GIF keeps its loop count, and loses comments and extensions of programs", () => {
  const repeats = gifBlock(0xff, "NETSCAPE2.0", "\u0001\0\0");
  const taken = Buffer.concat([
    GIF_HEAD,
    gifBlock(0xfe, "SECRET"),
    repeats,
    gifBlock(0xff, "XMP DataXMP", "SECRET"),
    GIF_END,
    Buffer.from("SECRET"),
  ]);
  const plain = Buffer.concat([GIF_HEAD, repeats, GIF_END]);
  expect(Buffer.from(stripMetadata(taken, "gif") ?? [])).toEqual(plain);
  expect(stripMetadata(plain, "gif")).toBe(plain);
});

test("ends for any bytes, and is idempotent", () => {
  const heads = { jpeg: "ffd8", png: "89504e470d0a1a0a", webp: "52494646ffff000057454250", gif: "47494638396101000100800000000000ffffff" };
  fc.assert(
    fc.property(fc.constantFrom("jpeg", "png", "webp", "gif"), fc.uint8Array({ maxLength: 200 }), (format, rest) => {
      const stripped = stripMetadata(Buffer.concat([Buffer.from(heads[format], "hex"), rest]), format);
      if (stripped !== undefined) expect(stripMetadata(stripped, format)).toEqual(stripped);
    }),
    { numRuns: 2_000 },
  );
});
