const OGG_PAGE = Buffer.from("OggS");
/** Bytes of a page's header before its count of samples, and of the whole fixed header. */
const GRANULE_OFFSET = 6;
/** Opus always counts 48,000 samples a second, whatever it was recorded with. */
const OPUS_RATE = 48_000;
/** Bytes of a WAV header before its bytes per second, and before the length of plain samples. */
const WAV_RATE_OFFSET = 28;
const WAV_HEADER_BYTES = 44;

/** How long a recording is, for the formats whose header says it plainly: Ogg with Opus, as messengers record, and WAV. Otherwise `undefined`. */
export function audioSeconds(bytes: Uint8Array, mimeType: string): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mimeType === "audio/ogg") return oggSeconds(buffer);
  if (!/^audio\/(?:x-|vnd\.)?wave?$/.test(mimeType) || buffer.length < WAV_HEADER_BYTES) return undefined;
  const rate = buffer.readUInt32LE(WAV_RATE_OFFSET);
  return rate === 0 ? undefined : (buffer.length - WAV_HEADER_BYTES) / rate;
}

/** The last page has the count of all samples. */
function oggSeconds(buffer: Buffer): number | undefined {
  const last = buffer.lastIndexOf(OGG_PAGE);
  if (!buffer.subarray(0, 64).includes("OpusHead") || last === -1 || last + GRANULE_OFFSET + 8 > buffer.length) return undefined;
  return Number(buffer.readBigUInt64LE(last + GRANULE_OFFSET)) / OPUS_RATE;
}
