import { copyFile, mkdir, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { StoreError } from "../port/store-error.ts";
import type { Store } from "../port/store.ts";
import { isAboutSource, isFileError, takenReason } from "./import-report.ts";
import type { ImportedReport, ImportReport } from "./import-report.ts";
import { importSession } from "./import-session.ts";
import { openSessionFile } from "./open-session-file.ts";
import type { OpenSessionFile, OpenSessionFileOptions } from "./open-session-file.ts";
import { openSource } from "./open-source.ts";
import { parseSessionFile } from "./parse-session-file.ts";
import { placeImport } from "./place-import.ts";
import type { ImportOwners } from "./place-import.ts";
import { parseSessionEntry } from "./session-entry.ts";
import type { SessionEntryFacts } from "./session-entry.ts";
import { objectOf } from "./unknown-value.ts";

const INDEX_NAME = "sessions.json";
/** Larger than any known file; it is read as a whole. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** How a folder is imported. */
export interface ImportFolderOptions extends ImportOwners, OpenSessionFileOptions {
  /** Where unreadable files are copied to. The imported folder is never changed. */
  readonly asideFolder: string;
  readonly nowMs: number;
  /** Dry run: reports the result without changing anything. */
  readonly isTrial?: boolean;
}

/**
 * Imports a sessions folder of OpenClaw or Clawdbot: `sessions.json` and a transcript for each session. Rejects with `invalid` if there is no readable
 * `sessions.json`; other problems are reported and do not stop the import. Importing again is a no-op.
 */
export async function importSessionFolder(store: Store, folder: string, options: ImportFolderOptions): Promise<ImportReport> {
  const index = await readIndex(folder);
  const imported: ImportedReport[] = [];
  const present: string[] = [];
  const refused: ImportReport["refused"][number][] = [];
  const listed = new Set<string>();
  /** Keys and session ids taken by this import; a dry run stores nothing to check against. */
  const taken = new Set<string>();
  for (const [oldKey, value] of Object.entries(index)) {
    const place = placeImport(oldKey, options);
    const { key } = place;
    const facts = parseSessionEntry(key, value);
    if (facts !== undefined) listed.add(facts.fileName);
    if (place.type === "refused") refused.push({ key, reason: place.reason });
    else if (facts === undefined) refused.push({ key, reason: "The entry names no session." });
    else {
      const known = taken.has(`key ${key}`) ? "another" : (await store.readSession(key))?.sessionId;
      if (known === facts.sessionId) present.push(key);
      else if (known !== undefined) refused.push({ key, reason: takenReason(key) });
      else if (taken.has(`id ${facts.sessionId}`))
        refused.push({ key, reason: `The session id ${facts.sessionId} is another entry's too.` });
      else {
        try {
          const { agentId } = place;
          imported.push(await importListed(store, { key, agentId, facts, path: join(folder, facts.fileName) }, options));
          taken.add(`key ${key}`).add(`id ${facts.sessionId}`);
        } catch (error) {
          if (!isAboutSource(error)) throw error;
          refused.push({ key, reason: error.message });
        }
      }
    }
  }
  const names = await readdir(folder);
  const unlisted = names.filter((name) => name.endsWith(".jsonl") && !listed.has(name)).toSorted();
  return { imported, present, refused, unlisted };
}

async function readIndex(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, INDEX_NAME);
  try {
    await using handle = await openSource(path, { maxBytes: MAX_INDEX_BYTES });
    const index = objectOf(JSON.parse(await handle.readFile("utf8")));
    if (index !== undefined) return index;
  } catch (cause) {
    if (StoreError.isInstance(cause)) throw cause;
    throw new StoreError("invalid", `${path} cannot be read. Name the folder that holds ${INDEX_NAME}.`, { cause });
  }
  throw new StoreError("invalid", `${path} is no index of sessions.`);
}

async function importListed(
  store: Store,
  source: { readonly key: string; readonly agentId: string; readonly facts: SessionEntryFacts; readonly path: string },
  options: ImportFolderOptions,
): Promise<ImportedReport> {
  const { key, agentId, facts, path } = source;
  const { sessionId, record } = facts;
  await using file = await openFile(path, options);
  const keptAside = file.isReadable || options.isTrial === true ? undefined : await keepAside(path, options);
  const { displayName } = record;
  const { nowMs, isTrial = false, signal } = options;
  await importSession(store, file, {
    key,
    agentId,
    sessionId,
    displayName,
    isPrivate: false,
    nowMs,
    isTrial,
    record: { ...record, sessionId },
    ...withoutUndefined({ signal }),
  });
  return { key, sessionId, entries: file.count, problems: file.problems, ...withoutUndefined({ keptAside }) };
}

/** A session whose transcript is missing is reported like an unreadable one. */
async function openFile(path: string, options: OpenSessionFileOptions): Promise<OpenSessionFile> {
  try {
    return await openSessionFile(path, options);
  } catch (cause) {
    if (!isFileError(cause) || cause.code !== "ENOENT") throw cause;
    return { ...(await parseSessionFile("")), [Symbol.asyncDispose]: async () => undefined };
  }
}

async function keepAside(path: string, options: ImportFolderOptions): Promise<string | undefined> {
  const copy = join(options.asideFolder, `${basename(path)}.unreadable.${options.nowMs}`);
  try {
    await mkdir(options.asideFolder, { recursive: true, mode: 0o700 });
    await copyFile(path, copy);
    return copy;
  } catch (error) {
    if (isFileError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}
