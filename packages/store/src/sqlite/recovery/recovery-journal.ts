import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { unmarkDamaged } from "./damage-mark.ts";
import type { DatabaseLoss } from "./find-loss.ts";

/** The progress of a recovery, from which a killed one resumes. */
export interface RecoveryJournal {
  readonly loss: DatabaseLoss;
  /** Name of the folder with the previous files, inside the state folder. */
  readonly asideName: string;
  /** True once all of them are in it: a database in the state folder is then a different one. */
  readonly isSetAside: boolean;
}

const JournalSchema = z.object({
  loss: z.enum(["structure", "missing", "empty", "replaced", "older", "unlinked", "saved"]),
  asideName: z.string().regex(/^damaged-\d+$/),
  isSetAside: z.boolean(),
}) satisfies z.ZodType<RecoveryJournal>;

/** The database is moved after its log: a file without its log would look complete. */
const MOVED = [`${DATABASE_NAME}-wal`, DATABASE_NAME];

/** The recovery that a kill interrupted. It is over if its result is in place, or if somebody has put another database in place by hand. */
export function findInterrupted(folder: string): RecoveryJournal | undefined {
  const journal = readJournal(folder);
  return journal?.isSetAside === true && existsSync(join(folder, DATABASE_NAME)) ? undefined : journal;
}

/** The same for the process that owns the folder: it forgets a recovery that is over. */
export function takeInterrupted(folder: string): RecoveryJournal | undefined {
  const interrupted = findInterrupted(folder);
  if (interrupted === undefined && readJournal(folder) !== undefined) endRecovery(folder);
  return interrupted;
}

/** Moves the files of a damaged database into a folder, and resolves with its name. Can be repeated after a kill. */
export async function setAside(folder: string, loss: DatabaseLoss, nowMs: number): Promise<RecoveryJournal> {
  const begun = readJournal(folder) ?? { loss, asideName: `damaged-${nowMs}`, isSetAside: false };
  if (begun.isSetAside) return begun;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  writeJournal(folder, begun);
  const aside = join(folder, begun.asideName);
  await mkdir(aside, { recursive: true, mode: 0o700 });
  for (const name of MOVED) if (existsSync(join(folder, name))) await rename(join(folder, name), join(aside, name));
  // It is useless without its files, and is created again.
  await rm(join(folder, `${DATABASE_NAME}-shm`), { force: true });
  const done = { ...begun, isSetAside: true };
  writeJournal(folder, done);
  return done;
}

/** Reverts `setAside` after a failed recovery. */
export async function putBack(folder: string, { loss, asideName }: RecoveryJournal): Promise<void> {
  const aside = join(folder, asideName);
  writeJournal(folder, { loss, asideName, isSetAside: false });
  for (const name of MOVED.toReversed()) if (existsSync(join(aside, name))) await rename(join(aside, name), join(folder, name));
  await rm(join(aside, "sessions"), { recursive: true, force: true });
  if ((await readdir(aside)).length === 0) await rmdir(aside);
  removeJournal(folder);
}

/** Forgets the recovery and its reason. */
export function endRecovery(folder: string): void {
  unmarkDamaged(folder);
  removeJournal(folder);
}

/** An unusable file is not a journal: the next write replaces it as a whole. */
function readJournal(folder: string): RecoveryJournal | undefined {
  try {
    return JournalSchema.parse(JSON.parse(readFileSync(journalOf(folder), "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function writeJournal(folder: string, journal: RecoveryJournal): void {
  const unfinished = unfinishedOf(folder);
  writeFileSync(unfinished, JSON.stringify(journal), { mode: 0o600, flush: true });
  renameSync(unfinished, journalOf(folder));
}

function removeJournal(folder: string): void {
  for (const path of [unfinishedOf(folder), journalOf(folder)]) rmSync(path, { force: true });
}

function unfinishedOf(folder: string): string {
  return `${journalOf(folder)}.tmp`;
}

function journalOf(folder: string): string {
  return join(folder, `${DATABASE_NAME}.recovery`);
}
