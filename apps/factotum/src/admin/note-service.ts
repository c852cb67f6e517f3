import { realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashOf, REDACTED, type FactotumConfig } from "@factotum/config";
import { RpcError, type NoteService } from "@factotum/gateway";
import { listNoteFiles, MAX_NOTE_BYTES, parseNotePath } from "@factotum/memory";
import { FileAccessError, type FileAccess, type FileChange, type FileVersion, type RunFiles } from "@factotum/tools";
import type { NoteChanges } from "../compose/note-changes.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { changedSince } from "./changed-since.ts";
import { ownersRun } from "./note-history.ts";
import { restoreMarks, unknownMark } from "./restore-marks.ts";

interface NoteServiceParts {
  /** Keeps versions of what it changes; the rules for what tools write do not apply to the owner. */
  readonly files: FileAccess;
  readonly currentConfig: () => FactotumConfig;
  readonly secrets: Pick<SecretFilter, "toolOutput">;
  /** Is told of each change, and tells of those of tools. */
  readonly changes: Pick<NoteChanges, "announce" | "onChange">;
}

/** A note that is there. */
interface ReadNote {
  readonly text: string;
  readonly shown: string;
  readonly hash: string;
  readonly untrusted: boolean;
  readonly version: FileVersion;
}

/** The notes of agents for the owner: read with their secrets hidden, and written over the version that was read alone. */
export function createNoteService(parts: NoteServiceParts): NoteService {
  const change = async (agentId: string, path: string, plan: (note: ReadNote | undefined) => FileChange): Promise<void> =>
    withNote(parts, { agentId, path }, async (files, note) => {
      await files.change([plan(await readIfThere(files, note, parts))], { tainted: false });
      parts.changes.announce(agentId);
    });
  return {
    list: async (agentId, { signal }) => {
      const workspace = workspaceOf(parts, agentId);
      if (workspace === undefined) return [];
      const files = await listNoteFiles(workspace, { signal });
      return files.map(({ path, sizeBytes, mtimeMs }) => ({ path, sizeBytes, changedAtMs: Math.round(mtimeMs) }));
    },
    read: async (agentId, path) =>
      withNote(parts, { agentId, path }, async (files, note) => {
        const found = await readIfThere(files, note, parts);
        if (found === undefined) throw noNote(path);
        const { text, shown, hash: baseHash, untrusted } = found;
        return { path: note, text: shown, baseHash, untrusted, hasSecrets: text !== shown };
      }),
    write: async (agentId, { path, text, baseHash }) =>
      change(agentId, path, (note) => {
        if (note?.hash !== baseHash) throw note === undefined || baseHash !== undefined ? changedSince(path) : conflict(EXISTS);
        const restored = note === undefined ? restoreMarks(text, NEW) : restoreMarks(text, { ...note, mark: REDACTED });
        if (restored.type === "mark") throw conflict(unknownMark(restored.line));
        return { type: "write", path, data: restored.text, unchangedSince: note?.version ?? "absent" };
      }),
    remove: async (agentId, { path, baseHash }) =>
      change(agentId, path, (note) => {
        if (note === undefined) throw noNote(path);
        if (note.hash !== baseHash) throw changedSince(path);
        return { type: "remove", path, unchangedSince: note.version };
      }),
    onChange: (listener) => parts.changes.onChange(listener),
  };
}

const EXISTS = "There is a note of this name already. Open it, or choose another name.";
/** A note that is not there yet has no secrets. */
const NEW = { text: "", shown: "", mark: REDACTED };

function workspaceOf({ currentConfig }: Pick<NoteServiceParts, "currentConfig">, agentId: string): string | undefined {
  return currentConfig().agents.find(({ id }) => id === agentId)?.workspace;
}

/** Uses the files of the owner, if the path is that of a note and no link leads elsewhere. */
async function withNote<Result>(
  parts: NoteServiceParts,
  { agentId, path }: { readonly agentId: string; readonly path: string },
  use: (files: RunFiles, note: string) => Promise<Result>,
): Promise<Result> {
  const [note, folder] = [parseNotePath(path), workspaceOf(parts, agentId)];
  const workspace = folder === undefined ? undefined : await realpath(folder).catch(() => undefined);
  if (note === undefined || workspace === undefined) throw noNote(path);
  if (!(await isDirect(workspace, note)))
    throw conflict(`${note} is reached by a link, and is not opened here. Put the file itself into the workspace.`);
  await parts.secrets.toolOutput.ready();
  try {
    return await use(await parts.files.forRun(ownersRun(agentId, workspace)), note);
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    throw error.code === "changed" ? changedSince(note, error) : conflict(error.message, error);
  }
}

function noNote(path: string): RpcError {
  return new RpcError("not-found", `There is no note ${path}. Notes are MEMORY.md, USER.md and the Markdown files in memory.`);
}

function conflict(message: string, cause?: unknown): RpcError {
  return new RpcError("conflict", message, { cause });
}

/** True if no link is on the way to a path below the real workspace, as far as it exists. */
async function isDirect(workspace: string, note: string): Promise<boolean> {
  for (let place = join(workspace, note); place !== workspace; place = dirname(place)) {
    try {
      return (await realpath(place)) === place;
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      if (error.code !== "ENOENT") return false;
    }
  }
  return true;
}

async function readIfThere(files: RunFiles, note: string, { secrets }: Pick<NoteServiceParts, "secrets">): Promise<ReadNote | undefined> {
  try {
    await using opened = await files.openFile(note);
    if (opened.sizeBytes > MAX_NOTE_BYTES) throw new FileAccessError("unsuitable", `${note} is larger than 1 MiB, and is not opened here.`);
    const content = await opened.handle.readFile();
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return { text, shown: secrets.toolOutput.redact(text), hash: hashOf(text), untrusted: opened.untrusted, version: opened.version };
  } catch (error) {
    if (error instanceof FileAccessError && error.code === "not-found") return undefined;
    if (error instanceof TypeError) throw new FileAccessError("unsuitable", `${note} is no text in UTF-8.`, { cause: error });
    throw error;
  }
}
