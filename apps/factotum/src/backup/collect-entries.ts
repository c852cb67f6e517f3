import { lstat, stat } from "node:fs/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import type { DatabaseFacts } from "@factotum/store";
import type { BackupPlan } from "./plan-backup.ts";
import { DATABASE_PATH, isSafePath, type LeftOut } from "./manifest.ts";
import { openSource } from "./open-source.ts";
import { walkFolder, type FoundEntry } from "./walk-folder.ts";
import type { ArchiveEntry } from "./write-archive.ts";

/** The plain file of a conversation. */
const PLAIN_FILE = /^agents\/[^/]+\/sessions\/([^/]+)\.jsonl$/;

/** The copy of the database with which the files have to be consistent. */
export interface CopiedDatabase {
  readonly file: string;
  /** The time of the copy. */
  readonly copiedAtMs: number;
  readonly facts: DatabaseFacts;
}

/** Options of `collectEntries`. */
export interface CollectOptions {
  readonly plan: BackupPlan;
  /** Absent if there is no database. */
  readonly database?: CopiedDatabase;
  readonly workFolder: string;
  /** Receives items that cannot be in the backup. */
  readonly onLeftOut: (item: LeftOut) => void;
}

/** Yields all entries of a backup: first the database, then the files, each in the state that the database knows. */
export async function* collectEntries(options: CollectOptions): AsyncIterable<ArchiveEntry> {
  const { plan, database, workFolder } = options;
  if (database !== undefined) {
    await using source = await openSource(database.file, { path: DATABASE_PATH, isStable: true, workFolder });
    yield source.entry;
  }
  for (const { file, path } of plan.files) yield* collectFile({ type: "file", file, path }, options);
  for (const { folder, path: prefix } of plan.folders) {
    for await (const found of walkFolder(folder, plan)) {
      const path = prefix === "" ? found.path : `${prefix}/${found.path}`;
      yield* collect({ ...found, path }, options);
    }
  }
}

async function* collect(found: FoundEntry, options: CollectOptions): AsyncIterable<ArchiveEntry> {
  const leaveOut = (reason: string): void => options.onLeftOut({ path: found.file, reason });
  if (!isSafePath(found.path)) return leaveOut("its name cannot be stored");
  switch (found.type) {
    case "folder":
      return yield { type: "folder", path: found.path, modifiedAtMs: await modifiedAtMs(found.file) };
    case "file":
      return yield* collectFile(found, options);
    case "link":
      // Large folders of the state directory may be links to another disk; the plan lists them as folders.
      return options.plan.folders.some(({ path }) => path === found.path) ? undefined : leaveOut("links are not stored");
    case "other":
      return leaveOut("it is neither a file nor a folder");
    case "unreadable":
      return leaveOut("it cannot be read");
  }
}

async function* collectFile(found: FoundEntry, { database, workFolder, onLeftOut }: CollectOptions): AsyncIterable<ArchiveEntry> {
  try {
    const maxBytes = database === undefined ? undefined : await knownBytes(found, database);
    if (maxBytes === 0) return;
    await using source = await openSource(found.file, { path: found.path, workFolder, ...withoutUndefined({ maxBytes }) });
    yield source.entry;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    // Removed since the folder was read.
    if (code === "ENOENT") return;
    if (!["EACCES", "EPERM", "ELOOP", "ENXIO"].includes(code)) throw error;
    onLeftOut({ path: found.file, reason: "it cannot be read" });
  }
}

/**
 * The bytes of a conversation's plain file that belong to the copy of the database: if the files were newer than the restored database, it would be taken for
 * one that lost data. The first start writes the rest again.
 */
async function knownBytes({ file, path }: FoundEntry, { facts, copiedAtMs }: CopiedDatabase): Promise<number | undefined> {
  const sessionId = PLAIN_FILE.exec(path)?.[1];
  if (sessionId === undefined) return undefined;
  const known = facts.copiedBytes.get(sessionId);
  if (known !== undefined) return known;
  return (await stat(file)).mtimeMs < copiedAtMs ? undefined : 0;
}

async function modifiedAtMs(folder: string): Promise<number> {
  try {
    return (await lstat(folder)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
