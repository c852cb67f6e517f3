import type { MediaKind } from "@factotum/channel-contract";

/** What bytes are, whatever they are called. */
export interface SniffedMedia {
  readonly kind: MediaKind;
  /** Without parameters. */
  readonly mimeType: string;
  /** For a file's name, without a dot; letters and digits. */
  readonly extension: string;
}

const UNKNOWN: SniffedMedia = { kind: "file", mimeType: "application/octet-stream", extension: "bin" };
const TEXT: SniffedMedia = { kind: "file", mimeType: "text/plain", extension: "txt" };
const TEXT_SAMPLE_BYTES = 8_192;

/** Looks at the bytes. What the sender, the platform or the file's name says plays no part. */
export async function sniffMedia(bytes: Uint8Array): Promise<SniffedMedia> {
  // Loaded with the first attachment: most gateways start without one.
  const { fileTypeFromBuffer } = await import("file-type");
  let found: Awaited<ReturnType<typeof fileTypeFromBuffer>>;
  try {
    found = await fileTypeFromBuffer(bytes);
  } catch (error) {
    // Bytes that begin like a known kind and go on like none.
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
