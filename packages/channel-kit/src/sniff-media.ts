import type { MediaKind } from "@factotum/channel-contract";

/** The type of bytes, regardless of their name. */
export interface SniffedMedia {
  readonly kind: MediaKind;
  /** Without parameters. */
  readonly mimeType: string;
  /** File extension, without a dot; letters and digits. */
  readonly extension: string;
}

const UNKNOWN: SniffedMedia = { kind: "file", mimeType: "application/octet-stream", extension: "bin" };
const TEXT: SniffedMedia = { kind: "file", mimeType: "text/plain", extension: "txt" };
const TEXT_SAMPLE_BYTES = 8_192;

/** Detects the type from the bytes. Declared type and file name do not matter. */
export async function sniffMedia(bytes: Uint8Array): Promise<SniffedMedia> {
  // Loaded with the first attachment: most gateways start without one.
  const { fileTypeFromBuffer } = await import("file-type");
  let found: Awaited<ReturnType<typeof fileTypeFromBuffer>>;
  try {
    found = await fileTypeFromBuffer(bytes);
  } catch (error) {
    // Bytes that start like a known type but do not continue like it.
    if (error instanceof Error) return UNKNOWN;
    throw error;
  }
  if (found === undefined) return isText(bytes) ? TEXT : UNKNOWN;
  const mimeType = found.mime.split(";")[0]?.trim() ?? UNKNOWN.mimeType;
  const family = mimeType.split("/")[0];
  const kind = family === "image" || family === "audio" || family === "video" ? family : "file";
  return { kind, mimeType, extension: /^[a-z0-9]{1,12}$/.test(found.ext) ? found.ext : UNKNOWN.extension };
}

function isText(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, TEXT_SAMPLE_BYTES);
  if (sample.length === 0 || sample.includes(0)) return false;
  try {
    // `stream`: the sample may end in the middle of a character.
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
