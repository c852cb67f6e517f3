import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { CopyOptions } from "../../copies/session-copier.ts";
import { parseBody, parseRecord } from "../../session-file/parse-record.ts";
import { readLines } from "../../session-file/read-lines.ts";
import { nonEmpty } from "../../session-file/unknown-value.ts";
import type { Database } from "../connection/database.ts";
import { numberOf, textOf } from "../values/row.ts";
import { decodeId } from "../values/sequence-id.ts";
import { COPY_ENDING, readCopy, readHeader } from "./session-copies.ts";
import type { CopyFolders, SessionCopy } from "./session-copies.ts";

/** Bytes read from the end of a file first: entries are in the order of their ids, so the newest is the last. */
const TAIL_BYTES = 1024 * 1024;

/** Options of the check. */
export interface NewerCopiesOptions {
  readonly copies: CopyOptions;
  /** True for the database that was used last: unknown files are then newer than it. Files beside another database belong to its predecessor. */
  readonly isSameDatabase: boolean;
}

/**
 * True if a plain file holds an entry whose number the open database never assigned: the database was replaced by an older copy, or has lost its log. A crash
 * cannot cause that, since files are written after the commit; nor can a deletion, since numbers are never reused. Files are only read, and those that are no
 * longer than the database knows are not opened.
 */
export async function hasNewerCopies(
  database: Pick<Database, "each" | "get">,
  { copies, isSameDatabase }: NewerCopiesOptions,
): Promise<boolean> {
  const sequence = database.get("SELECT seq FROM sqlite_sequence WHERE name = 'transcript'");
  const newest = sequence === undefined ? 0 : numberOf(sequence, "seq");
  const known = knownBytes(database);
  return isAnyNewer(copies, newest, (sessionId) => known.get(sessionId) ?? (isSameDatabase ? 0 : Infinity));
}

/** The same check if only the number of the newest entry is known: every file is opened. */
export async function hasCopiesNewerThan(newest: number, copies: CopyFolders): Promise<boolean> {
  return isAnyNewer(copies, newest, () => 0);
}

/** `knownOf`: the known size of a conversation's file, in bytes. */
async function isAnyNewer(copies: CopyFolders, newest: number, knownOf: (sessionId: string) => number): Promise<boolean> {
  for (const agentId of await copies.agents()) {
    const folder = copies.folder(agentId);
    for (const name of await namesIn(folder)) {
      if (!name.endsWith(COPY_ENDING)) continue;
      const sessionId = name.slice(0, -COPY_ENDING.length);
      const path = join(folder, name);
      const bytes = knownOf(sessionId);
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > bytes && (await holdsNewer({ agentId, sessionId, path }, { bytes, size, newest }))) return true;
    }
  }
  return false;
}

/** The known size of each file; unlimited if the conversation was deleted and its file is not renamed yet. */
function knownBytes(database: Pick<Database, "each">): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const row of database.each("SELECT session_id, copied_bytes FROM conversations"))
    known.set(textOf(row, "session_id"), numberOf(row, "copied_bytes"));
  for (const row of database.each("SELECT session_id FROM deleted_copies WHERE renamed = 0")) {
    const sessionId = textOf(row, "session_id");
    if (!known.has(sessionId)) known.set(sessionId, Infinity);
  }
  return known;
}

interface Part {
  /** Bytes of the file that are known, and its size. */
  readonly bytes: number;
  readonly size: number;
  /** The newest number that the database has assigned. */
  readonly newest: number;
}

/** An unreadable file has nothing to restore, and the copier cannot truncate it either. */
async function holdsNewer(file: Pick<SessionCopy, "agentId" | "sessionId" | "path">, { bytes, size, newest }: Part): Promise<boolean> {
  try {
    if ((await readHeader(file)) === undefined) return false;
    const tail = size - TAIL_BYTES;
    const last = tail > bytes ? await newestEntry(file.path, tail) : undefined;
    return (last ?? (await newestEntry(file.path, bytes)) ?? 0) > newest;
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return false;
    throw error;
  }
}

/** The highest number of an entry after a byte offset; undefined if there is no complete one. */
async function newestEntry(path: string, start: number): Promise<number | undefined> {
  let newest: number | undefined;
  for await (const line of readLines(readCopy(path, start))) {
    const record = parseRecord(line);
    const id = decodeId("e", nonEmpty(record?.["id"]) ?? "");
    if (record !== undefined && id !== undefined && parseBody(record, 0) !== undefined) newest = Math.max(newest ?? 0, id);
  }
  return newest;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
}
