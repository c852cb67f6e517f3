import { createWriteStream } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { inspectDatabase, StoreError } from "@factotum/store";
import { ArchiveError } from "./archive-error.ts";
import { DATABASE_PATH, type BackupManifest } from "./manifest.ts";
import { readArchive } from "./read-archive.ts";

/** Options of `verifyBackup`. */
export interface VerifyOptions {
  /** A private folder on a disk with space for the database. */
  readonly workFolder: string;
  readonly signal: AbortSignal;
}

/** Left free on the disk that an archive is unpacked to. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/**
 * Reads a whole backup: every file must have its size and hash, and the database is unpacked, opened and checked. Resolves with the manifest. Rejects with an
 * `ArchiveError` that says what is wrong.
 */
export async function verifyBackup(file: string, { workFolder, signal }: VerifyOptions): Promise<BackupManifest> {
  const database = join(workFolder, "verified.sqlite");
  let hasDatabase = false;
  const manifest = await readArchive(
    file,
    {
      folder: async () => undefined,
      file: async (path, body) => {
        if (path !== DATABASE_PATH) return drain(body);
        hasDatabase = true;
        await pipeline(body, createWriteStream(database, { flags: "wx", mode: 0o600 }));
      },
    },
    { maxBytes: Number.MAX_SAFE_INTEGER, signal },
  );
  if (hasDatabase) await checkDatabase(file, database, manifest);
  else if (manifest.database !== undefined) throw new ArchiveError(file, "is damaged: its database is missing");
  return manifest;
}

/** Opens the unpacked database of a backup and checks its structure and version. */
export async function checkDatabase(file: string, database: string, manifest: Pick<BackupManifest, "version">): Promise<void> {
  try {
    await inspectDatabase(database);
  } catch (error) {
    if (!StoreError.isInstance(error)) throw error;
    const reason = `holds a database that cannot be used. ${error.message.replace(/\.$/, "")}`;
    if (error.code === "unsupported")
      throw new ArchiveError(file, reason, { cause: error, fix: `Install Factotum ${manifest.version} or newer.` });
    throw new ArchiveError(file, reason, { cause: error });
  }
}

/** The number of bytes that may be unpacked into a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.max(0, bavail * bsize - RESERVE_BYTES);
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}
