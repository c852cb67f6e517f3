import { createWriteStream, existsSync } from "node:fs";
import { chmod, mkdir, readdir, realpath, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { withoutUndefined, type Logger } from "@factotum/agent-contract";
import type { Environment, StatePaths } from "@factotum/config";
import { settleRestoredDatabase, type AbandonedWork } from "@factotum/store";
import { CliError } from "../runtime/cli-error.ts";
import { applyForgotten } from "../forget/apply-forgotten.ts";
import { neighbouringHomes } from "../forget/forget-places.ts";
import { readForgotten, readForgottenFile, writeForgotten, type Tombstone } from "../forget/forgotten-list.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { DATABASE_PATH, type BackupManifest } from "./manifest.ts";
import { readArchive, type ArchiveVisitor } from "./read-archive.ts";
import { moveAttachments } from "./move-attachments.ts";
import { moveWorkspaces, type MovedWorkspace } from "./move-workspaces.ts";
import { checkDatabase, freeBytes } from "./verify-backup.ts";

/** Options of a restore. */
export interface RestoreOptions {
  readonly paths: StatePaths;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** A state directory or a list of what was forgotten, in addition to those that are found. Absolute. */
  readonly forgotten?: string;
}

/** Discards all log lines, since the result reports everything. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
};

/** A restored state directory. */
export interface RestoredBackup {
  readonly manifest: BackupManifest;
  /** Pending messages that became dead letters; absent without a database. */
  readonly abandoned?: AbandonedWork;
  /** Workspaces with another path than before. */
  readonly moved: readonly MovedWorkspace[];
  /** How many decisions to forget were applied to what was restored. */
  readonly forgotten: number;
}

/**
 * Restores a backup into a state directory that is missing or empty. Everything is unpacked and checked in a folder next to it, which then replaces it in one
 * step: a failed or killed restore leaves the state directory unchanged. What was forgotten is removed from it then, or by the next start if that is killed.
 */
export async function restoreBackup(file: string, options: RestoreOptions): Promise<RestoredBackup> {
  const { paths, env, signal } = options;
  await requireEmpty(paths);
  const home = await realHome(paths);
  const staging = `${home}.restoring-${process.pid}`;
  await removeLeftovers(home);
  await mkdir(staging, { mode: 0o700 });
  try {
    const manifest = await readArchive(file, unpackTo(staging), { maxBytes: await freeBytes(staging), signal });
    const database = join(staging, DATABASE_PATH);
    const hasDatabase = existsSync(database);
    if (hasDatabase) await checkDatabase(file, database, manifest);
    const settle = { folder: dirname(database), clock: systemClock, random: systemRandom, logger: SILENT };
    const abandoned = hasDatabase ? settleRestoredDatabase(settle) : undefined;
    const moved = await moveWorkspaces(manifest, { staging, paths, env });
    await moveAttachments(manifest, { staging, paths });
    await writeForgotten(staging, await collectForgotten([home, manifest.home], options));
    signal.throwIfAborted();
    await takePlace(staging, home);
    return { manifest, moved, forgotten: await forgetAgain(paths, env), ...withoutUndefined({ abandoned }) };
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

/** What was forgotten in the state directory that was backed up, in those next to it and next to this one, and in the named one. The backup has its own list. */
async function collectForgotten(homes: readonly string[], { forgotten }: RestoreOptions): Promise<readonly Tombstone[]> {
  if (forgotten !== undefined && !existsSync(forgotten))
    throw new CliError("failure", `${forgotten} does not exist.`, { fix: "Name a state directory, or the file forgotten.json of one." });
  const neighbours = await Promise.all(homes.map(neighbouringHomes));
  const named = forgotten === undefined ? [] : [forgotten];
  const lists = await Promise.all([...[...homes, ...neighbours.flat(), ...named].map(readForgotten), ...named.map(readForgottenFile)]);
  return lists.flat();
}

/** Nothing else may use the state directory meanwhile. */
async function forgetAgain(paths: StatePaths, env: Environment): Promise<number> {
  using held = await holdHome(paths);
  // A gateway that holds it has forgotten it at its start.
  return held === undefined ? 0 : applyForgotten(paths, env);
}

/** Writes files and folders below one folder. Their paths are checked already; the folder is new and private, so nothing in it is a link. */
function unpackTo(folder: string): ArchiveVisitor {
  return {
    folder: async (path) => void (await mkdir(join(folder, path), { recursive: true, mode: 0o700 })),
    file: async (path, body, { mode, modifiedAt }) => {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await pipeline(body, createWriteStream(target, { flags: "wx", mode: 0o600 }));
      // Private, whatever the archive says; programs stay executable.
      await chmod(target, (mode & 0o700) | 0o600);
      await utimes(target, modifiedAt, modifiedAt);
    },
  };
}

async function requireEmpty(paths: StatePaths): Promise<void> {
  const names = await namesIn(paths.home);
  if (names.length === 0) return;
  if (existsSync(join(paths.stateFolder, "gateway.lock"))) {
    using held = await holdHome(paths);
    if (held === undefined)
      throw new CliError("failure", `A gateway uses ${paths.home}.`, {
        fix: `Stop it with "factotum gateway stop", and move the folder aside: mv ${JSON.stringify(paths.home)} ${JSON.stringify(`${paths.home}.before`)}`,
      });
  }
  throw new CliError("failure", `${paths.home} is not empty, and nothing is overwritten.`, {
    fix: `Move it aside: mv ${JSON.stringify(paths.home)} ${JSON.stringify(`${paths.home}.before`)}; or set FACTOTUM_HOME to another folder.`,
  });
}

/** The real path of the state directory: the restored folder is renamed to it, so both must be on one disk. */
async function realHome({ home: named }: StatePaths): Promise<string> {
  if (!existsSync(named)) {
    await mkdir(dirname(named), { recursive: true, mode: 0o700 });
    return named;
  }
  const home = await realpath(named);
  const [own, above] = await Promise.all([stat(home), stat(dirname(home))]);
  if (own.dev === above.dev) return home;
  throw new CliError("failure", `${home} is a disk of its own, and a restored folder cannot take its place in one step.`, {
    fix: `Restore into a folder on it: FACTOTUM_HOME=${join(home, "factotum")}`,
  });
}

/** Replaces the state directory if it is still empty. */
async function takePlace(staging: string, home: string): Promise<void> {
  try {
    await rename(staging, home);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    throw new CliError("failure", `${home} is not empty any more, and nothing is overwritten.`, {
      cause: error,
      fix: "Stop what writes there, move it aside and try again.",
    });
  }
}

/** Removes folders of killed restores next to the state directory. */
async function removeLeftovers(home: string): Promise<void> {
  const parent = dirname(home);
  for (const name of await namesIn(parent)) {
    const path = join(parent, name);
    if (!path.startsWith(`${home}.restoring-`)) continue;
    const pid = Number(path.slice(`${home}.restoring-`.length));
    if (Number.isSafeInteger(pid) && (pid === process.pid || !isProcessAlive(pid))) await rm(path, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") throw new CliError("failure", `${folder} is a file, and no folder.`, { fix: "Move it away." });
    throw error;
  }
}
