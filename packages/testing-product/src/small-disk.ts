import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A disk of 64 MB in memory. Disposing it unmounts and removes it. */
export interface SmallDisk extends AsyncDisposable {
  readonly folder: string;
  /** Writes a file that takes all free space, to the last block; resolves with its path. Removing it frees the space. */
  fill(name: string): Promise<string>;
}

/** Whether this process may mount a disk. If not, reports that `what` was not run; with `CI` set it throws instead. */
export function canMountDisk(what: string): boolean {
  if (process.platform === "linux" && process.getuid?.() === 0) return true;
  // CI on a clean machine has the rights.
  if (process.env["CI"] !== undefined) throw new Error("This test needs Linux and root, to mount a small disk.");
  process.stderr.write(`NOT RUN: ${what}. It needs Linux and root, to mount a small disk.\n`);
  return false;
}

/** Mounts a small disk. */
export function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), "factotum-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", folder]);
  return {
    folder,
    fill: async (name) => {
      const file = path.join(folder, name);
      await takeAll(file);
      return file;
    },
    [Symbol.asyncDispose]: async () => {
      execFileSync("umount", ["-l", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function takeAll(file: string): Promise<void> {
  await using handle = await open(file, "w");
  for (let bytes = 1024 * 1024; bytes >= 512;) {
    try {
      await handle.write(Buffer.alloc(bytes, 1));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      bytes /= 2;
    }
  }
}
