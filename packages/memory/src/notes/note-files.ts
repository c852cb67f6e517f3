import { constants } from "node:fs";
import { access, lstat, open, readdir } from "node:fs/promises";
import { MAX_NOTE_BYTES, parseNotePath } from "./note-path.ts";
import { basename, extname, isAbsolute, join, relative, sep } from "node:path";

/** A file of notes as it is on the disk. */
export interface NoteFile {
  /** As it is cited: relative to the workspace, absolute outside it. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** It lies in a folder that the owner has added. */
  readonly isExtra: boolean;
}

/** Where the notes of an agent are. Absolute paths; `extraPaths` are files and folders. */
export interface NotePlaces {
  readonly workspace: string;
  readonly extraPaths: readonly string[];
}

/** A place whose notes are not searched. */
export interface LeftOut {
  /** As it would be cited. */
  readonly path: string;
  readonly reason: "missing" | "unreadable" | "link" | "too-large" | "too-deep";
}

/** The notes of an agent, sorted by path; `isComplete` is false if there are more than 5,000. */
export interface ListedNotes {
  readonly files: readonly NoteFile[];
  readonly leftOut: readonly LeftOut[];
  readonly isComplete: boolean;
}

const MAX_FILES = 5_000;
const MAX_DEPTH = 6;
const BATCH = 200;

type Report = (file: string, reason: LeftOut["reason"]) => void;

/** Lists `MEMORY.md`, the Markdown files in `memory`, and those of the extra paths. Links are not followed, files of more than 1 MiB are left out. */
export async function listNotes({ workspace, extraPaths }: NotePlaces, { signal }: { readonly signal: AbortSignal }): Promise<ListedNotes> {
  const found = new Map<string, boolean>();
  const leftOut: LeftOut[] = [];
  const report: Report = (file, reason) => void leftOut.push({ path: citedPath(workspace, file), reason });
  for (const { place, isExtra } of searched({ workspace, extraPaths }))
    for await (const file of filesIn(place, { depth: 0, report: isExtra ? report : ifNot("missing", report) })) {
      signal.throwIfAborted();
      if (found.size <= MAX_FILES && !found.has(file)) found.set(file, isExtra);
    }
  const files: NoteFile[] = [];
  const look = async ([file, isExtra]: readonly [string, boolean]) => {
    const stats = await ifThere(lstat(file), (code) => isExtra && report(file, code === "ENOENT" ? "missing" : "unreadable"));
    return { file, isExtra, stats };
  };
  for (const { file, isExtra, stats } of await inBatches([...found].slice(0, MAX_FILES), look)) {
    if (stats?.isSymbolicLink() === true) report(file, "link");
    if (stats?.isFile() !== true) continue;
    if (stats.size > MAX_NOTE_BYTES) report(file, "too-large");
    else files.push({ path: citedPath(workspace, file), file, mtimeMs: stats.mtimeMs, sizeBytes: stats.size, isExtra });
  }
  return { files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)), leftOut, isComplete: found.size <= MAX_FILES };
}

/** The notes in a workspace that can be read and written, by path: `MEMORY.md`, `USER.md`, and the Markdown files in `memory`. Links are left out. */
export async function listNoteFiles(workspace: string, { signal }: { readonly signal: AbortSignal }): Promise<readonly NoteFile[]> {
  const { files } = await listNotes({ workspace, extraPaths: [] }, { signal });
  const user = { path: "USER.md", file: join(workspace, "USER.md"), isExtra: false };
  const stats = await ifThere(lstat(user.file));
  const all = stats?.isFile() === true ? [...files, { ...user, mtimeMs: stats.mtimeMs, sizeBytes: stats.size }] : files;
  return all.filter(({ path }) => parseNotePath(path) === path).toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** Whether there is any note. */
export async function hasNotes(places: NotePlaces, { signal }: { readonly signal: AbortSignal }): Promise<boolean> {
  for (const { place } of searched(places))
    for await (const file of filesIn(place, { depth: 0, report: () => undefined })) {
      signal.throwIfAborted();
      if ((await ifThere(lstat(file)))?.isFile() === true) return true;
    }
  return false;
}

/** Asks about many files, a few at a time: one after another would take a turn of the event loop each. */
export async function inBatches<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = [];
  for (let at = 0; at < all.length; at += BATCH) answers.push(...(await Promise.all(all.slice(at, at + BATCH).map(ask))));
  return answers;
}

/** Whether a note can be opened. */
export async function isReadable({ file }: NoteFile): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

function searched({ workspace, extraPaths }: NotePlaces): readonly { readonly place: string; readonly isExtra: boolean }[] {
  return [
    ...["MEMORY.md", "memory.md", "memory"].map((name) => ({ place: join(workspace, name), isExtra: false })),
    ...extraPaths.map((place) => ({ place, isExtra: true })),
  ];
}

/** The text of a note, `undefined` if it is gone. Refuses links. */
export async function readNote(file: string): Promise<string | undefined> {
  const handle = await ifThere(open(file, constants.O_RDONLY | constants.O_NOFOLLOW));
  if (handle === undefined) return undefined;
  try {
    return (await handle.readFile({ encoding: "utf8" })).slice(0, MAX_NOTE_BYTES);
  } finally {
    await handle.close();
  }
}

/** The day in the name of a file, as the milliseconds of its start in UTC. */
export function dayOf(path: string): number | undefined {
  const day = /(?<!\d)(?<day>\d{4}-\d{2}-\d{2})(?!\d)/.exec(basename(path))?.groups?.["day"];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

function citedPath(workspace: string, file: string): string {
  const inside = relative(workspace, file);
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return (isOutside ? file : inside).split(sep).join("/");
}

async function* filesIn(place: string, { depth, report }: { readonly depth: number; readonly report: Report }): AsyncGenerator<string> {
  if (isMarkdown(place)) {
    yield place;
    return;
  }
  const entries = await ifThere(readdir(place, { withFileTypes: true }), (code) =>
    report(place, code === "ENOENT" ? "missing" : "unreadable"),
  );
  for (const entry of entries ?? []) {
    const path = join(place, entry.name);
    if (entry.name.startsWith(".") && !entry.isFile()) continue;
    if (entry.isFile() && isMarkdown(entry.name)) yield path;
    else if (entry.isSymbolicLink()) {
      if (isMarkdown(entry.name) || extname(entry.name) === "") report(path, "link");
    } else if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) yield* filesIn(path, { depth: depth + 1, report });
      else report(path, "too-deep");
    }
  }
}

function isMarkdown(path: string): boolean {
  return extname(path).toLowerCase() === ".md";
}

function ifNot(reason: LeftOut["reason"], report: Report): Report {
  return (file, given) => {
    if (given !== reason) report(file, given);
  };
}

/** `undefined` for what is not there, is no folder or may not be opened. */
async function ifThere<T>(result: Promise<T>, onGone: (code: string) => unknown = () => undefined): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && GONE.has(String(error.code)))) throw error;
    onGone(String(error.code));
    return undefined;
  }
}

const GONE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM"]);
