import { withoutUndefined } from "@factotum/agent-contract";
import { readDamageMark } from "./damage-mark.ts";
import { findLostFile, listRestorable } from "./find-loss.ts";
import type { DatabaseLoss } from "./find-loss.ts";
import { findInterrupted } from "./recovery-journal.ts";
import { hasCopies } from "./session-copies.ts";
import type { CopyFolders } from "./session-copies.ts";

/** What the next start of a gateway will do about a lost or damaged database. */
export interface PendingRecovery {
  readonly loss: DatabaseLoss;
  /** The same as text for people, with what to do. */
  readonly text: string;
  readonly fix: string;
  /** Age of the newest snapshot, milliseconds since the epoch; absent if there is none. */
  readonly snapshotAtMs?: number;
}

const FOUND: Readonly<Record<DatabaseLoss, string>> = {
  structure: "The database is damaged.",
  missing: "The database is missing.",
  empty: "The database is an empty file.",
  older: "The database is older than the plain files of its conversations.",
  replaced: "The database was replaced by one that never held anything.",
  unlinked: "The database was deleted or replaced while it was in use.",
  saved: "The database was deleted or replaced while it was in use, and what it held is saved.",
};

/** What an earlier process recorded, or what is visible without opening the file. A mark about the structure of a file counts only while the file exists. */
export async function findNoted(folder: string, copies: CopyFolders): Promise<DatabaseLoss | undefined> {
  const noted = readDamageMark(folder);
  return noted === "saved" || noted === "unlinked" ? noted : ((await findLostFile(folder, copies)) ?? noted);
}

/** Inspects a state folder that no gateway uses, without opening the database; undefined if the next start will use it unchanged. Changes nothing. */
export async function findPendingRecovery(folder: string, copies: CopyFolders): Promise<PendingRecovery | undefined> {
  const interrupted = findInterrupted(folder);
  const loss = interrupted?.loss ?? (await findNoted(folder, copies));
  if (loss === undefined) return undefined;
  const snapshotAtMs = (await listRestorable(folder))[0]?.takenAtMs;
  const fix =
    'Start the gateway ("factotum gateway start"). If you have a newer backup, move the state directory aside and restore it instead ("factotum backup restore FILE"); to begin empty on purpose, run "factotum reset --state".';
  if (snapshotAtMs === undefined && loss !== "structure" && !(await hasCopies(copies))) {
    const text = `${FOUND[loss]} There is neither a snapshot of it nor a plain file of a conversation: the next start of the gateway creates an empty database.`;
    return { loss, text, fix };
  }
  const from =
    snapshotAtMs === undefined
      ? "from the plain files of the conversations: there is no snapshot"
      : `from the newest sound snapshot, the last of ${new Date(snapshotAtMs).toISOString()}, and the plain files of the conversations`;
  return {
    loss,
    text: `${FOUND[loss]} The next start of the gateway ${interrupted === undefined ? "restores it" : "goes on restoring it"} ${from}.`,
    fix,
    ...withoutUndefined({ snapshotAtMs }),
  };
}
