import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CopyOptions } from "../../copies/session-copier.ts";
import { openSource } from "../../session-file/open-source.ts";
import { readLines } from "../../session-file/read-lines.ts";
import { nonEmpty, objectOf, timeOf } from "../../session-file/unknown-value.ts";
import { StoreError } from "../../port/store-error.ts";

/** Suffixes of plain files. */
export const COPY_ENDING = ".jsonl";
const DELETED = `${COPY_ENDING}.deleted.`;
/** The first line is short; a file whose first line is longer is not a copy of ours. */
const HEADER_BYTES = 64 * 1024;
/** The prefix of our entries; a transcript of another program in this folder is left to an import. */
const OWN_ENTRY = /^\{"type":"[a-z]+","id":"e[0-9a-z]{10}"/;
/** The product can read every copy that it has written, however large. */
const MAX_COPY_BYTES: number = Number.MAX_SAFE_INTEGER;

/** The folders of the plain files of all agents. */
export type CopyFolders = Pick<CopyOptions, "folder" | "agents">;

/** The plain file of one conversation. */
export interface SessionCopy {
  readonly agentId: string;
  readonly sessionId: string;
  readonly path: string;
  readonly startedAtMs: number;
  /** Absent in files of versions that did not write it. */
  readonly sessionKey?: string;
  /** When its conversation was imported; absent if it was not. */
  readonly importedAtMs?: number;
}

/** The plain file of a conversation that was deleted. */
export interface DeletedSessionCopy {
  readonly agentId: string;
  readonly sessionId: string;
  readonly deletedAtMs: number;
}

/** The plain files of all agents, by start of the conversation. Files that are not copies of ours are skipped. */
export async function listCopies(
  copies: CopyFolders,
): Promise<{ readonly current: readonly SessionCopy[]; readonly deleted: readonly DeletedSessionCopy[] }> {
  const current: SessionCopy[] = [];
  const deleted: DeletedSessionCopy[] = [];
  for (const agentId of await copies.agents()) {
    for (const name of await namesIn(copies.folder(agentId))) {
      if (name.endsWith(COPY_ENDING)) {
        const copy = await readHeader({ agentId, sessionId: name.slice(0, -COPY_ENDING.length), path: join(copies.folder(agentId), name) });
        if (copy !== undefined) current.push(copy);
        continue;
      }
      const [sessionId = "", stamp] = name.split(DELETED);
      const deletedAtMs = stamp === undefined ? Number.NaN : Date.parse(stamp.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));
      if (!Number.isNaN(deletedAtMs)) deleted.push({ agentId, sessionId, deletedAtMs });
    }
  }
  return { current: current.toSorted((a, b) => a.startedAtMs - b.startedAtMs), deleted };
}

/** True if any agent has the plain file of a conversation that was not deleted. */
export async function hasCopies(copies: CopyFolders): Promise<boolean> {
  return (await listCopies(copies)).current.length > 0;
}

/** Opens a copy for reading from a byte offset. Rejects with `invalid` if it is not a plain file. */
export async function* readCopy(path: string, start: number): AsyncIterable<Uint8Array> {
  await using handle = await openSource(path, { maxBytes: MAX_COPY_BYTES });
  yield* handle.createReadStream({ autoClose: false, start });
}

/** Reads the header of a file, which identifies its conversation; undefined if the file is not a copy of ours. */
export async function readHeader(file: Pick<SessionCopy, "agentId" | "sessionId" | "path">): Promise<SessionCopy | undefined> {
  try {
    await using handle = await openSource(file.path, { maxBytes: MAX_COPY_BYTES });
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    if (!OWN_ENTRY.test(text.slice(text.indexOf("\n") + 1))) return undefined;
    for await (const line of readLines(text)) {
      const header = line.isComplete && line.text !== undefined ? objectOf(JSON.parse(line.text)) : undefined;
      if (header?.["type"] !== "session" || header["id"] !== file.sessionId) return undefined;
      const sessionKey = nonEmpty(header["sessionKey"]);
      const importedAtMs = timeOf(header["importedAt"]);
      return { ...file, startedAtMs: timeOf(header["timestamp"]) ?? 0, ...withoutUndefined({ sessionKey, importedAtMs }) };
    }
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (StoreError.isInstance(error) && error.code === "invalid")) return undefined;
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
}
