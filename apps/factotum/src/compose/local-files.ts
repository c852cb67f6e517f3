import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import type { StatePaths } from "@factotum/config";
import type { LocalFile, LocalFiles } from "@factotum/gateway";
import { FileAccessError, type FileAccess, type OpenFile } from "@factotum/tools";
import type { OutputRedactor } from "../runtime/output-redactor.ts";

/** What must not leave through a file of the workspace. */
interface OutgoingGuard {
  /** Folders whose files are refused under every other name, too (hard links). */
  readonly protectedFolders: readonly string[];
  /** True for a text that contains a known secret. */
  readonly hasSecret: (text: string) => boolean | Promise<boolean>;
}

/** The guard of this gateway's credentials, state and known secrets. */
export function createOutgoingGuard(
  { credentialsFolder, stateFolder }: Pick<StatePaths, "credentialsFolder" | "stateFolder">,
  redactor: OutputRedactor,
): OutgoingGuard {
  return {
    protectedFolders: [credentialsFolder, stateFolder],
    hasSecret: async (text) => {
      await redactor.ready();
      return redactor.redact(text) !== text;
    },
  };
}

/** Bytes of a file that are searched for secrets. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

/** Reads files that the owner names, through the same access as the file tools (R21). */
export function createLocalFiles(files: FileAccess, guard: OutgoingGuard): LocalFiles {
  return {
    async read(path, { run, maxBytes, isInWorkspace = false }) {
      try {
        await using file = await (await files.forRun(run)).openFile(path);
        if (isInWorkspace && !(await lies(file.path, run.workspace))) return { type: "refused", reason: "not-allowed", shown: path };
        if (isInWorkspace && (await isHardLink(file, guard.protectedFolders)))
          return { type: "refused", reason: "not-allowed", shown: path };
        const read = await readWhole(file, maxBytes);
        if (!isInWorkspace || read.type === "refused") return read;
        const text = Buffer.from(read.bytes.subarray(0, MAX_SEARCHED_BYTES)).toString();
        return (await guard.hasSecret(text)) ? { type: "refused", reason: "secret", shown: path } : read;
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

/** True if a file is another name of one in these folders. */
async function isHardLink({ handle }: OpenFile, folders: readonly string[]): Promise<boolean> {
  const { nlink, dev, ino } = await handle.stat({ bigint: true });
  if (nlink < 2n) return false;
  for (const folder of folders) {
    // A folder or file that does not exist has no other names.
    for (const name of await readdir(folder).catch(() => [])) {
      const found = await stat(join(folder, name), { bigint: true }).catch(() => undefined);
      if (found?.dev === dev && found.ino === ino) return true;
    }
  }
  return false;
}

async function readWhole({ handle, sizeBytes, shown, untrusted }: OpenFile, maxBytes: number): Promise<LocalFile> {
  if (sizeBytes > maxBytes) return { type: "refused", reason: "too-large", shown };
  const bytes = new Uint8Array(sizeBytes);
  // Bytes appended after the size was read are ignored.
  const { bytesRead } = await handle.read(bytes, 0, sizeBytes, 0);
  return { type: "file", bytes: bytes.subarray(0, bytesRead), shown, untrusted };
}
