import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import type { LocalFile, LocalFiles } from "@factotum/gateway";
import { FileAccessError, type FileAccess, type OpenFile } from "@factotum/tools";

/** Reads files that the owner names, through the same access as the file tools (R21). */
export function createLocalFiles(files: FileAccess): LocalFiles {
  return {
    async read(path, { run, maxBytes, isInWorkspace = false }) {
      try {
        await using file = await (await files.forRun(run)).openFile(path);
        if (isInWorkspace && !(await lies(file.path, run.workspace))) return { type: "refused", reason: "not-allowed", shown: path };
        return await readWhole(file, maxBytes);
      } catch (error) {
        if (!(error instanceof FileAccessError)) throw error;
        return { type: "refused", reason: error.code === "not-found" ? "not-found" : "not-allowed", shown: path };
      }
    },
  };
}

/** True if a real path is in a folder. */
async function lies(path: string, folder: string): Promise<boolean> {
  const way = relative(await realpath(folder), path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function readWhole({ handle, sizeBytes, shown, untrusted }: OpenFile, maxBytes: number): Promise<LocalFile> {
  if (sizeBytes > maxBytes) return { type: "refused", reason: "too-large", shown };
  const bytes = new Uint8Array(sizeBytes);
  // Bytes appended after the size was read are ignored.
  const { bytesRead } = await handle.read(bytes, 0, sizeBytes, 0);
  return { type: "file", bytes: bytes.subarray(0, bytesRead), shown, untrusted };
}
