import { join } from "node:path";
import { makeFolder, writePrivateFile, type StatePaths } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";
import { lockFile } from "../runtime/lock-file.ts";
import { readText } from "./project-folders.ts";

/**
 * Locks the installed extensions for a change, until it is disposed or the process ends in any way. Rejects at once with a `CliError` that names the process
 * that holds the lock.
 */
export async function lockExtensions({ stateFolder }: Pick<StatePaths, "stateFolder">): Promise<Disposable> {
  await makeFolder(stateFolder);
  const holder = join(stateFolder, "extensions.holder");
  const lock = lockFile(join(stateFolder, "extensions.lock"), { waitMs: 0 });
  if (lock === undefined) {
    const process = (await readText(holder))?.trim();
    throw new CliError(
      "failure",
      `Another command${process === undefined ? "" : ` (process ${process})`} is changing the extensions; nothing was changed.`,
      { fix: "Try again when it has ended." },
    );
  }
  try {
    await writePrivateFile(holder, `${process.pid}\n`);
    return lock;
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}
