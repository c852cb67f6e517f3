import { createHash } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Random } from "@factotum/agent-contract";
import { StoreError } from "../port/store-error.ts";
import type { Store } from "../port/store.ts";
import { takenReason } from "./import-report.ts";
import type { ImportReport } from "./import-report.ts";
import { importSession } from "./import-session.ts";
import type { ImportTarget } from "./import-session.ts";
import { openSessionFile } from "./open-session-file.ts";
import type { OpenSessionFile, OpenSessionFileOptions } from "./open-session-file.ts";
import { placeImport } from "./place-import.ts";
import type { ImportOwners } from "./place-import.ts";
import { parseSessionEntry } from "./session-entry.ts";

/** How one file is imported. */
export interface ImportFileOptions extends ImportOwners, OpenSessionFileOptions {
  /** A key that replaces the one in the file. */
  readonly key?: string;
  readonly random: Random;
  readonly nowMs: number;
  /** Dry run: reports the result without changing anything. */
  readonly isTrial?: boolean;
}

/**
 * Imports one transcript: an export of ours with its key and settings, or a foreign file, which gets the key `agent:<agent>:import:<session id>`. Rejects with
 * `invalid` if it is not a session file; a key that is taken is reported. With an explicit key, a conversation that exists already becomes a second one, once.
 */
export async function importSessionFile(store: Store, path: string, options: ImportFileOptions): Promise<ImportReport> {
  await using file = await openSessionFile(path, options);
  if (!file.isReadable) throw new StoreError("invalid", `${path} is no session file: it has neither a first line of one nor an entry.`);
  const sessionId = file.sessionId ?? options.random.uuid();
  const place = placeImport(options.key ?? file.session?.key ?? `agent:${options.agentId}:import:${sessionId}`, options);
  const nothing: ImportReport = { imported: [], present: [], refused: [], unlisted: [] };
  if (place.type === "refused") return { ...nothing, refused: [{ key: place.key, reason: place.reason }] };
  const { key, agentId } = place;
  const known = await store.readSession(key);
  const isHere = known?.sessionId === sessionId || (options.key !== undefined && known?.sessionId === secondId(sessionId, key));
  if (isHere) return { ...nothing, present: [key] };
  if (known !== undefined) return { ...nothing, refused: [{ key, reason: takenReason(key) }] };
  const record = file.session === undefined ? undefined : parseSessionEntry(key, file.session.entry)?.record;
  const target: ImportTarget = {
    key,
    agentId,
    sessionId,
    displayName: key,
    isPrivate: false,
    nowMs: options.nowMs,
    ...withoutUndefined({ record, isTrial: options.isTrial, signal: options.signal }),
  };
  try {
    const stored = await take(store, file, target, options);
    return { ...nothing, imported: [{ key, sessionId: stored, entries: file.count, problems: file.problems }] };
  } catch (error) {
    if (!StoreError.isInstance(error) || (error.code !== "conflict" && error.code !== "invalid")) throw error;
    return { ...nothing, refused: [{ key, reason: error.message }] };
  }
}

/** Returns the session id. With an explicit key it is a new one if the id in the file is taken. */
async function take(store: Store, file: OpenSessionFile, target: ImportTarget, options: ImportFileOptions): Promise<string> {
  if (options.key === undefined) return (await importSession(store, file, target)).sessionId;
  const { sessionId: _own, ...unnamed } = file;
  for (const sessionId of [target.sessionId, secondId(target.sessionId, target.key)]) {
    // The entries can be read only once, so a dry run finds out whether the id is free.
    if (await isFree(store, unnamed, { ...target, sessionId }))
      return (await importSession(store, unnamed, { ...target, sessionId })).sessionId;
  }
  return (await importSession(store, unnamed, { ...target, sessionId: options.random.uuid() })).sessionId;
}

async function isFree(store: Store, file: Parameters<typeof importSession>[1], target: ImportTarget): Promise<boolean> {
  try {
    await importSession(store, file, { ...target, isTrial: true });
    return true;
  } catch (error) {
    if (!StoreError.isInstance(error) || error.code !== "conflict") throw error;
    return false;
  }
}

/** The id of a second conversation of one file: deterministic per key, so that importing the file again is recognised. */
function secondId(sessionId: string, key: string): string {
  const hex = createHash("sha256").update(`${sessionId}\n${key}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
