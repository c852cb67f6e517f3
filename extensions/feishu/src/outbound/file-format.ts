/** Formats that the platform shows in another way than as a plain file. */
export type ShownFormat = "image" | "opus" | "mp4";

const HEADER_BYTES = 64;
/** PNG, JPEG, GIF, BMP, TIFF in both byte orders, ICO. */
const IMAGE_STARTS = ["89504e470d0a1a0a", "ffd8ff", "47494638", "424d", "49492a00", "4d4d002a", "00000100"];
const IMAGE_BRANDS: ReadonlySet<string> = new Set(["heic", "heix", "mif1"]);
const OPUS_RATE_KHZ = 48;
/** Header of an Ogg page: capture pattern, and the position of its end in samples. */
const OGG_PAGE = "OggS";
const OGG_HEADER_BYTES = 27;
const OGG_POSITION_OFFSET = 6;

/** The format of a file by its first bytes; `undefined` for any other. A name or a declared type can be wrong, and the platform checks the bytes. */
export function shownFormat(bytes: Uint8Array): ShownFormat | undefined {
  const start = Buffer.from(bytes.subarray(0, HEADER_BYTES));
  const head = start.toString("latin1");
  const brand = head.slice(4, 8) === "ftyp" ? head.slice(8, 12) : "";
  const hex = start.toString("hex");
  if (IMAGE_STARTS.some((magic) => hex.startsWith(magic)) || IMAGE_BRANDS.has(brand)) return "image";
  if (head.startsWith("RIFF") && head.slice(8, 12) === "WEBP") return "image";
  if (head.startsWith(OGG_PAGE) && head.includes("OpusHead")) return "opus";
  return brand !== "" && brand !== "qt  " ? "mp4" : undefined;
}

/** The length of an Ogg file with an Opus stream, by the position of its last page; `undefined` if it cannot be read. */
export function opusDurationMs(bytes: Uint8Array): number | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const page = file.lastIndexOf(OGG_PAGE, -OGG_HEADER_BYTES);
  if (page === -1) return undefined;
  const samples = Number(file.readBigInt64LE(page + OGG_POSITION_OFFSET));
  return samples > 0 ? Math.ceil(samples / OPUS_RATE_KHZ) : undefined;
}
