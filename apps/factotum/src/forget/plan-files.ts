import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { createInterface } from "node:readline";
import { inboundMediaFolder } from "@factotum/gateway";
import { hasText, type OpenForgetting } from "@factotum/store";
import type { ForgetPlaces } from "./forget-places.ts";
import { filesBelow, readNotes, readVersions } from "./read-notes.ts";
import type { TombstoneRules } from "./tombstone-rules.ts";

/** A file to remove. */
export interface FileRemoval {
  /** What it is called in a report. */
  readonly kind: string;
  readonly file: string;
}

/** A note that loses lines; `text` is absent if nothing of it remains. */
export interface NoteEdit {
  readonly file: string;
  readonly mode: number;
  readonly lines: number;
  readonly text?: string;
}

/** Options of the plans. */
export interface PlanOptions {
  readonly places: ForgetPlaces;
  readonly rules: TombstoneRules;
  /** The tombstone has been applied before: files that were changed since it was made stay. */
  readonly isAgain: boolean;
}

/** What notes lose: the lines that quote what is forgotten. */
export async function planNotes({ places, rules, isAgain }: PlanOptions): Promise<readonly NoteEdit[]> {
  return (await readNotes(places)).flatMap(({ file, text, mode, atMs }) => {
    if (isAgain && atMs > rules.atMs) return [];
    const lines = text.split("\n");
    const kept = lines.filter((line) => !rules.isGone(line));
    if (kept.length === lines.length) return [];
    const edit = { file, mode, lines: lines.length - kept.length };
    return [kept.some((line) => line.trim() !== "") ? { ...edit, text: kept.join("\n") } : edit];
  });
}

/** Versions of notes that quote it. */
export async function planVersions({ places, rules, isAgain }: PlanOptions): Promise<readonly FileRemoval[]> {
  const gone = (await readVersions(places)).filter(({ text, atMs }) => !(isAgain && atMs > rules.atMs) && rules.isGone(text));
  return gone.map(({ file }) => ({ kind: "versions of notes", file }));
}

/** Digests of what was kept for /undo and quotes it. */
export async function planCopies({ places, rules }: PlanOptions): Promise<readonly string[]> {
  const digests: string[] = [];
  for (const file of await filesBelow(join(places.paths.stateFolder, "checkpoints")))
    if (rules.isGone(await readFile(file, "utf8"))) digests.push(basename(file));
  return digests;
}

/** Contents that were kept for /undo and that no row names. */
export async function planUnusedCopies(
  { places }: PlanOptions,
  { usedCopies }: Pick<OpenForgetting, "usedCopies">,
): Promise<readonly FileRemoval[]> {
  const files = await filesBelow(join(places.paths.stateFolder, "checkpoints"));
  return files.filter((file) => !usedCopies.has(basename(file))).map((file) => ({ kind: "contents kept for /undo", file }));
}

/** Plain files of conversations, those of deleted ones included. A conversation that loses a part gets a new file. */
export async function planSessionFiles(
  { places, rules }: PlanOptions,
  { conversations, keys, known }: Pick<OpenForgetting, "conversations" | "keys" | "known">,
): Promise<readonly FileRemoval[]> {
  const changed = new Set(conversations.map(({ sessionId }) => sessionId));
  const removals: FileRemoval[] = [];
  for (const file of await filesBelow(join(places.paths.home, "agents"))) {
    const [sessionId = "", ending] = basename(file).split(".jsonl");
    if (ending === undefined || !/[\\/]sessions[\\/][^\\/]+$/.test(file)) continue;
    const isCurrent = ending === "" && known.has(sessionId);
    if (changed.has(sessionId) || (!isCurrent && (await saysForgotten(file, rules, keys))))
      removals.push({ kind: "plain files of conversations", file });
  }
  return removals;
}

async function saysForgotten(file: string, rules: TombstoneRules, keys: ReadonlySet<string>): Promise<boolean> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (hasText(line, (text) => rules.isGone(text))) return true;
    const { sessionKey, spawnedBy, timestamp } = recordOf(line);
    if ([sessionKey, spawnedBy].some((key) => typeof key === "string" && (keys.has(key) || rules.isSession(key)))) return true;
    if (typeof timestamp === "string" && rules.isTime(Date.parse(timestamp))) return true;
  }
  return false;
}

function recordOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Received and sent files, with their records: those of forgotten conversations, those that forgotten messages name, and those of the time. */
export async function planMedia(
  { places, rules }: PlanOptions,
  { conversations, fileIds }: Pick<OpenForgetting, "conversations" | "fileIds">,
): Promise<readonly FileRemoval[]> {
  const { home } = places.paths;
  const folders = new Set(
    conversations.filter(({ isWhole }) => isWhole).map(({ sessionId }) => basename(inboundMediaFolder(home, sessionId))),
  );
  const removals: FileRemoval[] = [];
  for (const file of await filesBelow(join(home, "media"))) {
    const id = basename(file, extname(file));
    const folder = basename(join(file, ".."));
    if (folders.has(folder) || fileIds.has(id) || rules.isTime((await stat(file)).mtimeMs))
      removals.push({ kind: "received and sent files", file });
  }
  return removals;
}

/** What sandboxed turns of forgotten sessions have in folders of their own. */
export async function planSandboxes(
  { places, rules, isAgain }: PlanOptions,
  { keys }: Pick<OpenForgetting, "keys">,
): Promise<readonly FileRemoval[]> {
  const removals: FileRemoval[] = [];
  for (const folder of [...keys].flatMap(places.sandboxesOf)) {
    for (const file of await filesBelow(folder))
      if (!isAgain || (await stat(file)).mtimeMs <= rules.atMs) removals.push({ kind: "files of sandboxes", file });
  }
  return removals;
}

/** What is written again, or only reports: the indexes of memory and, the first time, the logs, whose lines do not tell which conversation they are about. */
export async function planDerived({ places, isAgain }: PlanOptions): Promise<readonly FileRemoval[]> {
  const { stateFolder, logFile } = places.paths;
  const indexes = await filesBelow(join(stateFolder, "memory"));
  const logs = isAgain ? [] : await filesBelow(join(logFile, ".."));
  return [...indexes.map((file) => ({ kind: "indexes of memory", file })), ...logs.map((file) => ({ kind: "logs", file }))];
}
