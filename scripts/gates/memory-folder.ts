import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where to create the folder, and how much space it must have. */
export interface MemoryFolderOptions {
  /** By default the shared memory of Linux. */
  readonly parent?: string;
  /** 4 GiB by default; a run of all tests needs less than one. */
  readonly minFreeBytes?: number;
}

/**
 * Creates a folder for temporary files in memory: tests commit to their databases many thousand times, and on a disk each commit waits for it. Undefined where
 * there is no such folder, too little space in it, or where programs in it may not be run, as in many containers.
 */
export function createMemoryFolder({ parent = "/dev/shm", minFreeBytes = 4 * 1024 ** 3 }: MemoryFolderOptions = {}): string | undefined {
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < minFreeBytes) return undefined;
    // Short: paths of sockets are limited to 107 bytes.
    folder = mkdtempSync(join(parent, "f-"));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) {
      rmSync(program);
      return folder;
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return undefined;
}
