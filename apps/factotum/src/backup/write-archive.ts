import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { createTarPacker } from "modern-tar";
import { HEAD_NAME, HOME_PREFIX, MANIFEST_NAME, type BackupFile, type BackupHead, type BackupManifest } from "./manifest.ts";

/** One entry to write; its path is relative to the state directory. */
export type ArchiveEntry =
  | { readonly type: "folder"; readonly path: string; readonly modifiedAtMs: number }
  | {
      readonly type: "file";
      readonly path: string;
      /** The body has exactly this size. */
      readonly bytes: number;
      /** The permission bits. */
      readonly mode: number;
      readonly modifiedAtMs: number;
      readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
    };

/** The content of an archive. */
export interface ArchiveContent {
  readonly head: BackupHead;
  readonly entries: AsyncIterable<ArchiveEntry>;
  /** Creates the last entry, once all files are written. */
  readonly manifest: (files: readonly BackupFile[]) => BackupManifest;
}

type TarPacker = ReturnType<typeof createTarPacker>["controller"];

/** Writes a new archive (mode 600) to the disk and resolves with its manifest. The caller removes an incomplete one. */
export async function writeArchive(
  path: string,
  { head, entries, manifest }: ArchiveContent,
  { signal }: { readonly signal: AbortSignal },
): Promise<BackupManifest> {
  const { readable, controller } = createTarPacker();
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  const written = pipeline(Readable.fromWeb(readable), createGzip(), file, { signal });
  const filled = fill(controller, { head, entries, manifest });
  // A failure of one side ends the other: a full disk, or a file that cannot be read.
  filled.catch((error: unknown) => controller.error(error));
  const [result] = await Promise.all([filled, written]);
  return result;
}

async function fill(packer: TarPacker, { head, entries, manifest }: ArchiveContent): Promise<BackupManifest> {
  await addText(packer, HEAD_NAME, head);
  const files: BackupFile[] = [];
  for await (const entry of entries) {
    const name = `${HOME_PREFIX}${entry.path}`;
    const mtime = new Date(entry.modifiedAtMs);
    if (entry.type === "folder") await packer.add({ name: `${name}/`, type: "directory", size: 0, mode: 0o700, mtime }).close();
    else {
      const { path, bytes, mode } = entry;
      const sha256 = await addBody(packer.add({ name, type: "file", size: bytes, mode, mtime }), entry.body);
      files.push({ path, bytes, sha256 });
    }
  }
  const result = manifest(files);
  await addText(packer, MANIFEST_NAME, result);
  packer.finalize();
  return result;
}

async function addText(packer: TarPacker, name: string, value: object): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
  await addBody(packer.add({ name, type: "file", size: bytes.length, mode: 0o600 }), [bytes]);
}

/** Writes the body of an entry and resolves with its hash. */
async function addBody(stream: WritableStream<Uint8Array>, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  const writer = stream.getWriter();
  for await (const chunk of body) {
    hash.update(chunk);
    await writer.write(chunk);
  }
  await writer.close();
  return hash.digest("hex");
}
