import { createReadStream } from "node:fs";
import { copyFile, mkdir, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { StoreError } from "../port/store-error.ts";
import type { Store } from "../port/store.ts";
import { importSession } from "./import-session.ts";
import { parseSessionFile } from "./parse-session-file.ts";
import type { ParsedSessionFile, SessionFileProblem } from "./parse-session-file.ts";
import { parseSessionEntry } from "./session-entry.ts";
import type { SessionEntryFacts } from "./session-entry.ts";
import { objectOf } from "./unknown-value.ts";

const INDEX_NAME = "sessions.json";
/** Larger than any that was ever seen; it is read at once. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

/** How a folder is imported. */
export interface ImportFolderOptions {
  /** The agent of sessions whose key names none. */
  readonly agentId: string;
  /** Where files that cannot be read are copied to. The folder that is imported is never changed. */
  readonly asideFolder: string;
  readonly nowMs: number;
}

/** What became of a folder. */
export interface ImportFolderReport {
  readonly imported: readonly {
    readonly key: string;
    readonly sessionId: string;
    readonly entries: number;
    readonly problems: readonly SessionFileProblem[];
    /** Where the unreadable file was copied to. */
    readonly keptAside?: string;
  }[];
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
  /** Transcripts that no entry of `sessions.json` names: older conversations, each of which can be imported by itself. */
  readonly unlisted: readonly string[];
}

/**
 * Imports a sessions folder of OpenClaw or Clawdbot: `sessions.json` with a transcript beside it for each session. Rejects with `invalid`
 * when there is no readable `sessions.json`; everything else is in the report.
 */
export async function importSessionFolder(store: Store, folder: string, options: ImportFolderOptions): Promise<ImportFolderReport> {
  const index = await readIndex(folder);
  const imported: ImportFolderReport["imported"][number][] = [];
  const refused: ImportFolderReport["refused"][number][] = [];
  const listed = new Set<string>();
  for (const [oldKey, value] of Object.entries(index)) {
    const { key, agentId } = readKey(oldKey, options.agentId);
    const facts = parseSessionEntry(key, value);
    if (facts === undefined) {
      refused.push({ key, reason: "The entry names no session." });
      continue;
    }
    listed.add(facts.fileName);
    try {
      imported.push(await importListed(store, { key, agentId, facts, path: join(folder, facts.fileName) }, options));
    } catch (error) {
      if (!isAboutSource(error)) throw error;
      refused.push({ key, reason: error.message });
    }
  }
  const names = await readdir(folder);
  const unlisted = names.filter((name) => name.endsWith(".jsonl") && !listed.has(name)).toSorted();
  return { imported, refused, unlisted };
}

async function readIndex(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const path = join(folder, INDEX_NAME);
  try {
    if ((await stat(path)).size > MAX_INDEX_BYTES) throw new StoreError("invalid", `${path} is too large to be an index of sessions.`);
    const index = objectOf(JSON.parse(await readFile(path, "utf8")));
    if (index !== undefined) return index;
  } catch (cause) {
    if (StoreError.isInstance(cause)) throw cause;
    throw new StoreError("invalid", `${path} cannot be read. Name the folder that holds ${INDEX_NAME}.`, { cause });
  }
  throw new StoreError("invalid", `${path} is no index of sessions.`);
}

/** `dm` is an old name of `direct`; a key of the oldest form names no agent. */
function readKey(oldKey: string, fallback: string): { readonly key: string; readonly agentId: string } {
  const parts = oldKey.trim().split(":");
  if (parts[0] !== "agent" || parts.length < 3) {
    const isShared = parts.length > 1 && ["cron", "hook"].includes(parts[0] ?? "");
    return { key: isShared || oldKey === "global" ? oldKey : `agent:${fallback}:${oldKey}`, agentId: fallback };
  }
  return {
    key: parts.map((part, place) => (place > 1 && place < parts.length - 1 && part === "dm" ? "direct" : part)).join(":"),
    agentId: parts[1] || fallback,
  };
}

async function importListed(
  store: Store,
  source: { readonly key: string; readonly agentId: string; readonly facts: SessionEntryFacts; readonly path: string },
  options: ImportFolderOptions,
): Promise<ImportFolderReport["imported"][number]> {
  const { key, agentId, facts, path } = source;
  const { sessionId, record } = facts;
  const file = await parseFile(path);
  const keptAside = file.isReadable ? undefined : await keepAside(path, options);
  const { displayName } = record;
  const target = { key, agentId, sessionId, displayName, isPrivate: false, nowMs: options.nowMs, record: { ...record, sessionId } };
  await importSession(store, file, target);
  return { key, sessionId, entries: file.entries.length, problems: file.problems, ...(keptAside === undefined ? {} : { keptAside }) };
}

/** A session whose transcript is gone has no file: it is as unreadable as a broken one. */
async function parseFile(path: string): Promise<ParsedSessionFile> {
  try {
    return await parseSessionFile(createReadStream(path));
  } catch (cause) {
    if (isFileError(cause) && cause.code === "ENOENT") return parseSessionFile("");
    throw cause;
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

/** Concerns one session and not the whole import. */
function isAboutSource(error: unknown): error is Error {
  if (StoreError.isInstance(error)) return error.code === "conflict" || error.code === "invalid";
  return isFileError(error) && ["EACCES", "EISDIR", "ELOOP", "ENAMETOOLONG"].includes(error.code ?? "");
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}
