import { existsSync } from "node:fs";
import { link, mkdtemp, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { literalSecrets, type LoadedConfig } from "@factotum/config";
import { copyDatabase, findPendingRecovery, inspectDatabase, StoreError } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { sessionFolders } from "../compose/session-folders.ts";
import { CliError } from "../runtime/cli-error.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { collectEntries, type CopiedDatabase } from "./collect-entries.ts";
import { FORMAT, type BackupFile, type BackupManifest, type LeftOut } from "./manifest.ts";
import { isInHome, planBackup, WORK_FOLDER_PREFIX, type BackupPlan } from "./plan-backup.ts";
import { verifyBackup } from "./verify-backup.ts";
import { writeArchive } from "./write-archive.ts";

/** Maximum items in the manifest; further ones are only counted. */
const MAX_LEFT_OUT = 1000;

const WORK_FOLDER: RegExp = new RegExp(`^${RegExp.escape(WORK_FOLDER_PREFIX)}(\\d+)-`);
const ABANDONED_MS: number = 24 * 60 * 60_000;

/** Options of a backup. */
export interface CreateBackupOptions {
  /** Absolute path of the file to write. */
  readonly output: string;
  /** Includes credentials. */
  readonly secrets: boolean;
  /** The version of this program. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/** A backup that was written and verified. */
export interface CreatedBackup {
  readonly file: string;
  readonly bytes: number;
  readonly manifest: BackupManifest;
  /** Keys of the configuration with literal secrets, which are in the backup. */
  readonly literalSecrets: readonly string[];
}

/**
 * Writes a consistent backup, with or without a running gateway, and verifies it before it gets its final name. Never overwrites a file. If it fails or is
 * killed, no file of that name exists.
 */
export async function createBackup(loaded: LoadedConfig, options: CreateBackupOptions): Promise<CreatedBackup> {
  const { paths, written } = loaded;
  const { output, secrets, signal } = options;
  if (!existsSync(paths.home))
    throw new CliError("failure", `There is nothing to back up: ${paths.home} does not exist.`, {
      fix: "Set FACTOTUM_HOME if it is elsewhere.",
    });
  await checkOutput(loaded, output);
  const plan = await planBackup(loaded, { secrets });
  await using work = await makeWorkFolder(dirname(output));
  const database = await copyOf(loaded, work.path, { secrets });
  const archive = join(work.path, "archive.tar.gz");
  const manifest = await write(archive, { ...options, plan, workFolder: work.path, home: paths.home, ...withoutUndefined({ database }) });
  await verifyBackup(archive, { workFolder: work.path, signal });
  await giveName(archive, output);
  const { size } = await stat(output);
  return { file: output, bytes: size, manifest, literalSecrets: literalSecrets(written) };
}

interface WriteOptions extends CreateBackupOptions {
  readonly plan: BackupPlan;
  readonly database?: CopiedDatabase;
  readonly workFolder: string;
  readonly home: string;
}

async function write(archive: string, options: WriteOptions): Promise<BackupManifest> {
  const { plan, database, secrets, version, home, signal } = options;
  const createdAtMs = database?.copiedAtMs ?? Date.now();
  const leftOut: LeftOut[] = [...plan.leftOut];
  const head = { format: FORMAT, version, createdAtMs };
  const manifest = (files: readonly BackupFile[]): BackupManifest => ({
    ...head,
    home,
    secrets,
    ...(database === undefined ? {} : { database: { schema: database.facts.version, sessions: database.facts.sessions } }),
    workspaces: plan.workspaces,
    leftOut: leftOut.slice(0, MAX_LEFT_OUT),
    leftOutCount: leftOut.length,
    files,
  });
  const entries = collectEntries({ ...options, onLeftOut: (item) => leftOut.push(item) });
  return writeArchive(archive, { head, entries, manifest }, { signal });
}

async function checkOutput({ paths }: LoadedConfig, output: string): Promise<void> {
  const folder = dirname(output);
  if (!existsSync(folder)) throw new CliError("failure", `The folder ${folder} does not exist.`, { fix: "Make it, or name another one." });
  if (existsSync(output))
    throw new CliError("failure", `${output} exists already, and nothing is overwritten.`, { fix: "Name another file." });
  if (isInHome({ home: await realpath(paths.home) }, await realpath(folder)))
    throw new CliError("failure", `${output} would lie in the state directory, and be lost with it.`, {
      fix: "Name a place outside: --output, best on another disk.",
    });
}

/** A private folder next to the result, from which the complete file is renamed. Removes those that killed backups have left there. */
async function makeWorkFolder(folder: string): Promise<{ readonly path: string } & AsyncDisposable> {
  for (const name of await readdir(folder)) {
    const pid = WORK_FOLDER.exec(name)?.[1];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    const left = join(folder, name);
    // On a shared disk the process may run on another machine.
    if ((await stat(left)).mtimeMs < Date.now() - ABANDONED_MS) await rm(left, { recursive: true, force: true });
  }
  const path = await mkdtemp(join(folder, `${WORK_FOLDER_PREFIX}${process.pid}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Copies and checks the database; `undefined` if there is none yet. */
async function copyOf(
  { paths }: LoadedConfig,
  workFolder: string,
  options: { readonly secrets: boolean },
): Promise<CopiedDatabase | undefined> {
  await refuseLost(paths);
  const [original, file] = [join(paths.stateFolder, "factotum.sqlite"), join(workFolder, "factotum.sqlite")];
  if (!existsSync(original)) return undefined;
  const copiedAtMs = Date.now();
  try {
    copyDatabase(original, file, options);
    return { file, copiedAtMs, facts: await inspectDatabase(file) };
  } catch (error) {
    if (!StoreError.isInstance(error)) throw error;
    if (error.code === "unsupported")
      throw new CliError("failure", `The database cannot be backed up. ${error.message}`, {
        cause: error,
        fix: '"factotum doctor" says what it is and what to do.',
      });
    if (error.code !== "damaged") throw error;
    throw new CliError("failure", "The database is damaged, and a backup of it would be worth nothing.", {
      cause: error,
      fix: 'Run "factotum doctor --fix" and "factotum gateway start", which restores it, then make the backup. Keep the backups that you have.',
    });
  }
}

/** If no gateway runs, the next start may have to restore the database first. */
async function refuseLost(paths: LoadedConfig["paths"]): Promise<void> {
  {
    using held = await holdHome(paths);
    if (held === undefined) return;
  }
  const pending = await findPendingRecovery(paths.stateFolder, sessionFolders(paths));
  if (pending === undefined) return;
  throw new CliError("failure", pending.text, {
    fix: 'Start the gateway ("factotum gateway start"), then make the backup. Keep the backups that you have.',
  });
}

/** Gives the finished file its final name without replacing another one. */
async function giveName(archive: string, output: string): Promise<void> {
  try {
    await link(archive, output);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST")
      throw new CliError("failure", `${output} exists already, and nothing is overwritten.`, { fix: "Name another file." });
    // A file system without hard links, such as that of a USB stick.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    await rename(archive, output);
  }
}
