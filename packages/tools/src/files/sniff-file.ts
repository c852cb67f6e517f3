import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import type { ImageContent } from "@factotum/agent-contract";

/** The type of a file by its first bytes. */
export type FileKind =
  | { readonly type: "empty" }
  | { readonly type: "text" }
  | { readonly type: "pdf" }
  | { readonly type: "image"; readonly mimeType: ImageContent["mimeType"] }
  /** `name` is for people: `ZIP archive`. */
  | { readonly type: "binary"; readonly name: string };

const HEAD_BYTES = 8_192;

const BINARY_KINDS: readonly (readonly [signature: string, name: string])[] = [
  ["504b0304", "ZIP archive or Office document"],
  ["1f8b", "gzip archive"],
  ["425a68", "bzip2 archive"],
  ["fd377a585a00", "xz archive"],
  ["28b52ffd", "zstd archive"],
  ["377abcaf271c", "7z archive"],
  ["7f454c46", "program"],
  ["cffaedfe", "program"],
  ["53514c69746520666f726d6174203300", "SQLite database"],
  ["494433", "MP3 sound"],
  ["4f676753", "Ogg sound or film"],
  ["664c6143", "FLAC sound"],
  ["1a45dfa3", "Matroska film"],
  ["fffe", "UTF-16 text; convert it to UTF-8 first"],
  ["feff", "UTF-16 text; convert it to UTF-8 first"],
];

/** Detects the type from the start of an open file, and returns that start too. Name and extension do not matter. */
export async function sniffFile(handle: FileHandle): Promise<{ readonly kind: FileKind; readonly head: Buffer }> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  return { kind: kindOf(head), head };
}

/** The type of a file that starts with `head`. Pure. */
function kindOf(head: Buffer): FileKind {
  if (head.length === 0) return { type: "empty" };
  const mimeType = imageTypeOf(head);
  if (mimeType !== undefined) return { type: "image", mimeType };
  if (head.toString("latin1", 0, 5) === "%PDF-") return { type: "pdf" };
  const hex = head.toString("hex", 0, 16);
  const name = BINARY_KINDS.find(([signature]) => hex.startsWith(signature))?.[1];
  if (name !== undefined) return { type: "binary", name };
  if (head.toString("latin1", 4, 8) === "ftyp") return { type: "binary", name: "MP4 film, sound or picture" };
  return head.includes(0) ? { type: "binary", name: "unknown kind" } : { type: "text" };
}

function imageTypeOf(head: Buffer): ImageContent["mimeType"] | undefined {
  const start = head.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  return undefined;
}
