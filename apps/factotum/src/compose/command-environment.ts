import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Logger } from "@factotum/agent-contract";
import { writePrivateFile, type Environment } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";

/**
 * The environment of the model's commands: the gateway's own, with a launcher of this build first on the PATH, so that `factotum` in a command is the command
 * that runs this gateway, however it was started. Without the launcher if it cannot be written.
 */
export async function commandEnvironment(context: CliContext, logger: Pick<Logger, "warn">): Promise<Environment> {
  const { env, paths, self } = context;
  const folder = launcherFolder(context);
  try {
    await writeLauncher(join(folder, "factotum"), self);
  } catch (error) {
    logger.warn("The launcher of `factotum` could not be written; commands may not find it on their PATH", { folder, error });
    return { ...env, FACTOTUM_HOME: paths.home };
  }
  return { ...env, PATH: commandSearchPath(context), FACTOTUM_HOME: paths.home };
}

/** The folders in which commands find programs. */
export function commandSearchPath(context: CliContext): string {
  const path = context.env["PATH"]?.trim() || "/usr/local/bin:/usr/bin:/bin";
  return `${launcherFolder(context)}${delimiter}${path}`;
}

function launcherFolder({ paths }: CliContext): string {
  return join(paths.stateFolder, "bin");
}

async function writeLauncher(file: string, { file: node, args }: CliContext["self"]): Promise<void> {
  const words = [node, ...args].map(quote).join(" ");
  await writePrivateFile(file, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(file, 0o700);
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
