import type { ImageFormat } from "./image-header.ts";

/**
 * The same image, identical in every pixel, without metadata of cameras and programs: place, time, device, texts, previews, and trailing bytes. `undefined` if
 * the bytes cannot be parsed to their end. Formats that are never sent unchanged are not supported.
 */
export function stripMetadata(bytes: Uint8Array, format: ImageFormat): Uint8Array | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept = partsOf(data, format);
  if (kept === undefined) return undefined;
  const length = kept.reduce((sum, part) => sum + part.length, 0);
  if (length === data.length) return bytes;
  const stripped = Buffer.concat(kept, length);
  if (format === "webp") stripped.writeUInt32LE(length - 8, 4);
  return stripped;
}

function partsOf(data: Buffer, format: ImageFormat): readonly Buffer[] | undefined {
  try {
    switch (format) {
      case "jpeg":
        return jpegParts(data);
      case "png":
        return pngParts(data);
      case "webp":
        return webpParts(data);
      case "gif":
        return gifParts(data);
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a read behind the end
    throw error;
  }
}

/** Rejects a slice that the bytes do not fill. */
function slice(data: Buffer, start: number, end: number): Buffer {
  if (end > data.length) throw new RangeError("behind the end");
  return data.subarray(start, end);
}

/** JPEG application segments that are kept: those that define the colours. */
const JPEG_COLOURS: readonly (readonly [marker: number, name: string])[] = [
  [0xe0, "JFIF\0"],
  [0xe2, "ICC_PROFILE\0"],
  [0xee, "Adobe"],
];

function jpegParts(data: Buffer): readonly Buffer[] | undefined {
  const parts: Buffer[] = [slice(data, 0, 2)];
  for (let at = 2; ;) {
    if (data.readUInt8(at) !== 0xff) return undefined;
    const marker = data.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) return [...parts, slice(data, at, at + 2)];
    const end = at + 2 + data.readUInt16BE(at + 2);
    const segment = slice(data, at, end);
    const isApplication = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!isApplication || JPEG_COLOURS.some(([kept, name]) => kept === marker && segment.toString("latin1", 4, 4 + name.length) === name))
      parts.push(segment);
    at = end;
    if (marker !== 0xda) continue;
    at = scanEnd(data, at);
    parts.push(slice(data, end, at));
  }
}

/** The head of a scan is followed by its bytes, up to the next marker that is not part of them. They are most of the image. */
function scanEnd(data: Buffer, start: number): number {
  let at = data.indexOf(0xff, start);
  while (at !== -1 && isOfScan(data.readUInt8(at + 1))) at = data.indexOf(0xff, at + 2);
  if (at === -1) throw new RangeError("behind the end");
  return at;
}

function isOfScan(second: number): boolean {
  return second === 0 || (second >= 0xd0 && second <= 0xd7);
}

const PNG_TEXTS: ReadonlySet<string> = new Set(["eXIf", "tEXt", "zTXt", "iTXt", "tIME"]);

function pngParts(data: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [slice(data, 0, 8)];
  for (let at = 8; ;) {
    const end = at + 12 + data.readUInt32BE(at);
    const name = data.toString("latin1", at + 4, at + 8);
    if (!PNG_TEXTS.has(name)) parts.push(slice(data, at, end));
    if (name === "IEND") return parts;
    at = end;
  }
}

/** The flags of `VP8X` for removed chunks. */
const WEBP_PROMISES = 0x0c;

function webpParts(data: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [slice(data, 0, 12)];
  const end = Math.min(data.length, 8 + data.readUInt32LE(4));
  for (let at = 12; at < end;) {
    const size = data.readUInt32LE(at + 4);
    const next = at + 8 + size + (size % 2);
    const name = data.toString("latin1", at, at + 4);
    if (name === "VP8X") {
      const head = Buffer.from(slice(data, at, next));
      head.writeUInt8(head.readUInt8(8) & ~WEBP_PROMISES, 8);
      parts.push(head);
    } else if (name !== "EXIF" && name !== "XMP ") parts.push(slice(data, at, next));
    at = next;
  }
  return parts;
}

/** GIF application blocks that are kept: loop count, and colours. */
const GIF_APPLICATIONS: ReadonlySet<string> = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

function gifParts(data: Buffer): readonly Buffer[] | undefined {
  let at = 13 + tableBytes(data.readUInt8(10));
  const parts: Buffer[] = [slice(data, 0, at)];
  for (;;) {
    const kind = data.readUInt8(at);
    if (kind === 0x3b) return [...parts, slice(data, at, at + 1)];
    if (kind !== 0x21 && kind !== 0x2c) return undefined;
    // An extension has a one-byte label before its blocks; an image its position, its colours and the code size.
    const end = blocksEnd(data, kind === 0x21 ? at + 2 : at + 10 + tableBytes(data.readUInt8(at + 9)) + 1);
    const label = data.readUInt8(at + 1);
    const isText = kind === 0x21 && (label === 0xfe || (label === 0xff && !GIF_APPLICATIONS.has(data.toString("latin1", at + 3, at + 14))));
    if (!isText) parts.push(slice(data, at, end));
    at = end;
  }
}

function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function blocksEnd(data: Buffer, start: number): number {
  let at = start;
  for (let size = data.readUInt8(at); size !== 0; size = data.readUInt8(at)) at += 1 + size;
  return at + 1;
}
