import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import { MAX_NOTE_BYTES, parseNotePath } from "../notes/note-path.ts";
import type { FileChangePlan, FileCheckpoints, VersionedNote, NoteVersion, RunFacts } from "@factotum/agent-contract";

/** Of one note; the oldest make room. */
const MAX_VERSIONS = 50;
const MAX_VERSIONS_BYTES = 4 * 1024 * 1024;

/** The time in UTC, a part of the digest, and whether the text may be that of others. */
const VERSION = /^(\d{8}T\d{9}Z-[0-9a-f]{8})(\.untrusted)?\.md$/;
const ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-[0-9a-f]{8}$/;
/** Files of a workspace that say who an agent is; `USER.md` is a note, too. */
const INSTRUCTIONS: readonly string[] = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md"];
/** The path of the note, whose digest is the name of the folder. */
const NAME_FILE = "note.txt";

/** What is needed to keep versions. */
export interface NoteVersionsOptions {
  /** Where they are: absolute, closed to tools. */
  readonly folder: string;
  /** The workspace of an agent; `undefined` if there is no such agent. */
  readonly workspaceOf: (agentId: string) => string | undefined;
  /** Whether versions are kept now. */
  readonly isEnabled: () => boolean;
  /** Whether a file may hold text of others (R23). */
  readonly isUntrusted: (path: string, run: RunFacts) => Promise<boolean>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Keeps what the notes of an agent held before each change by its tools or its owner's page: `MEMORY.md`, `USER.md` and the Markdown files in `memory`, and in the
 * same way the files that say who the agent is. A version is a file, flushed before the note may change. Up to 50 versions and 4 MiB of a note are kept.
 */
export class NoteVersions implements FileCheckpoints {
  readonly maxBytes: number = MAX_NOTE_BYTES;
  readonly #options: NoteVersionsOptions;

  constructor(options: NoteVersionsOptions) {
    this.#options = options;
  }

  keeps({ agentId }: RunFacts): boolean {
    return this.#options.isEnabled() && this.#options.workspaceOf(agentId) !== undefined;
  }

  async beforeChange(changes: readonly FileChangePlan[], run: RunFacts): Promise<void> {
    const { workspaceOf, isUntrusted } = this.#options;
    const workspace = await realpath(workspaceOf(run.agentId) ?? "").catch(() => undefined);
    if (workspace === undefined) return;
    for (const { path, before, after } of changes) {
      const note = keptPath(relative(workspace, path).split(sep).join(posix.sep));
      if (note === undefined || before.type !== "file" || isSame(before.content, after)) continue;
      await this.#keep({ agentId: run.agentId, note, content: before.content, untrusted: await isUntrusted(path, run) });
    }
  }

  /** The notes of an agent that have versions, by path; without the files that say who it is. */
  async notes(agentId: string): Promise<readonly VersionedNote[]> {
    const folders = await ifThere(readdir(join(this.#options.folder, agentId)), []);
    const found = await Promise.all(
      folders.map(async (name): Promise<readonly VersionedNote[]> => {
        const folder = join(this.#options.folder, agentId, name);
        const path = await ifThere(readFile(join(folder, NAME_FILE), "utf8"), "");
        const [newest, ...older] = await this.#versionsIn(folder);
        return parseNotePath(path) === undefined || newest === undefined
          ? []
          : [{ path, count: older.length + 1, newestAtMs: newest.atMs }];
      }),
    );
    return found.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** The versions of a note or of a file that says who the agent is, newest first; none for another path. */
  async list(agentId: string, path: string): Promise<readonly NoteVersion[]> {
    const note = keptPath(path);
    return note === undefined ? [] : this.#versionsIn(this.#folderOf(agentId, note));
  }

  /** The text of a version; `undefined` if there is no such version. */
  async read(agentId: string, path: string, id: string): Promise<{ readonly text: string; readonly untrusted: boolean } | undefined> {
    const version = (await this.list(agentId, path)).find((one) => one.id === id);
    const note = keptPath(path);
    if (version === undefined || note === undefined) return undefined;
    const file = join(this.#folderOf(agentId, note), fileOf(version));
    const text = await ifThere(readFile(file, "utf8"), undefined);
    return text === undefined ? undefined : { text, untrusted: version.untrusted };
  }

  async #keep(kept: {
    readonly agentId: string;
    readonly note: string;
    readonly content: Uint8Array;
    readonly untrusted: boolean;
  }): Promise<void> {
    const folder = this.#folderOf(kept.agentId, kept.note);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeWhole(join(folder, NAME_FILE), Buffer.from(kept.note));
    const at = new Date(this.#options.now()).toISOString().replaceAll(/[-:.]/g, "");
    const id = `${at}-${digestOf(kept.content).slice(0, 8)}`;
    await writeWhole(join(folder, fileOf({ id, untrusted: kept.untrusted })), kept.content);
    let [count, bytes] = [0, 0];
    for (const version of await this.#versionsIn(folder)) {
      count += 1;
      bytes += version.sizeBytes;
      if (count > 1 && (count > MAX_VERSIONS || bytes > MAX_VERSIONS_BYTES)) await rm(join(folder, fileOf(version)), { force: true });
    }
  }

  async #versionsIn(folder: string): Promise<readonly NoteVersion[]> {
    const names = (await ifThere(readdir(folder), [])).toSorted((one, other) => (one < other ? 1 : -1));
    const versions = await Promise.all(
      names.map(async (name): Promise<readonly NoteVersion[]> => {
        const [, id = "", mark] = VERSION.exec(name) ?? [];
        const stats = id === "" ? undefined : await ifThere(stat(join(folder, name)), undefined);
        return stats === undefined ? [] : [{ id, atMs: timeOf(id), sizeBytes: stats.size, untrusted: mark !== undefined }];
      }),
    );
    return versions.flat();
  }

  #folderOf(agentId: string, note: string): string {
    return join(this.#options.folder, agentId, digestOf(Buffer.from(note)).slice(0, 16));
  }
}

/** The path of a file whose versions are kept, relative to the workspace; `undefined` for another file. */
function keptPath(path: string): string | undefined {
  const file = posix.normalize(path);
  return INSTRUCTIONS.includes(file) ? file : parseNotePath(path);
}

function fileOf({ id, untrusted }: Pick<NoteVersion, "id" | "untrusted">): string {
  return `${id}${untrusted ? ".untrusted" : ""}.md`;
}

function timeOf(id: string): number {
  const [, year, month, day, hour, minute, second, milliseconds] = ID.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`);
}

function isSame(before: Uint8Array, after: string | Uint8Array | undefined): boolean {
  return after !== undefined && Buffer.from(before).equals(typeof after === "string" ? Buffer.from(after) : after);
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Writes and flushes it under another name first: a kill leaves the file whole or absent. */
async function writeWhole(file: string, content: Uint8Array): Promise<void> {
  const staged = `${file}.new`;
  const handle = await open(staged, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(staged, file);
}

async function ifThere<Value, Other>(work: Promise<Value>, otherwise: Other): Promise<Value | Other> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return otherwise;
    throw error;
  }
}
