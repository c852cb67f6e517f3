import { isUtf8 } from "node:buffer";
import { createHash, randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EditorFiles, EditorWrite, RunFacts } from "@factotum/agent-contract";
import type { PlacedChange } from "./change-files.ts";
import { FileAccessError, systemCode } from "./file-access-error.ts";
import { isSameVersion, toVersion, type OpenFile } from "./open-file.ts";
import type { OpenContext } from "./open-folder.ts";

/** Larger files are read from the disk: an editor's answer is one message. */
const MAX_EDITOR_BYTES = 200_000;
const MODE_BITS = 0o777;

interface EditorParts {
  readonly editor: EditorFiles;
  readonly run: RunFacts;
  readonly context: OpenContext;
}

/** The same file, with the text that the editor of the run's session shows if it has unsaved changes. Only files of the workspace are asked for. */
export async function withEditorText(file: OpenFile, parts: EditorParts): Promise<OpenFile> {
  if (!parts.editor.offersFiles(parts.run)) return file;
  try {
    return await shownInEditor(file, parts);
  } catch (error) {
    await file.handle.close();
    throw error;
  }
}

async function shownInEditor(file: OpenFile, { editor, run, context }: EditorParts): Promise<OpenFile> {
  if (file.sizeBytes > MAX_EDITOR_BYTES || !(await isInWorkspace(file.path, context))) return file;
  const saved = Buffer.alloc(file.sizeBytes);
  const { bytesRead } = await file.handle.read(saved, 0, file.sizeBytes, 0);
  const text = await unsavedText(saved.subarray(0, bytesRead), async () => editor.read(file.path, run));
  if (text === undefined) return file;
  const { mode } = await file.handle.stat();
  const handle = await handleOf(text, mode & MODE_BITS);
  await file.handle.close();
  return file.showing(handle, { sizeBytes: Buffer.byteLength(text), digest: digestOf(text) });
}

/** Has the editor write what it writes; resolves with the changes that are left for the disk. A file that changed since it was read is refused (`changed`). */
export async function writeInEditor(placed: readonly PlacedChange[], parts: EditorParts): Promise<readonly PlacedChange[]> {
  if (!parts.editor.offersFiles(parts.run)) return placed;
  const left: PlacedChange[] = [];
  const written: string[] = [];
  for (const one of placed) {
    try {
      if (await writeOne(one, parts)) written.push(parts.context.show(one.target));
      else left.push(one);
    } catch (error) {
      if (!(error instanceof Error) || written.length === 0) throw error;
      const code = error instanceof FileAccessError ? error.code : "failed";
      throw new FileAccessError(code, `${error.message} These files were changed all the same: ${written.join(", ")}.`, { cause: error });
    }
  }
  return left;
}

async function writeOne(placed: PlacedChange, { editor, run, context }: EditorParts): Promise<boolean> {
  const { change, target } = placed;
  if (change.type === "remove" || typeof change.data !== "string" || !(await isInWorkspace(target, context))) return false;
  // Editors make files, and not every one makes folders.
  if (placed.ancestor !== dirname(target)) return false;
  await requireUnchanged(placed, { editor, run, context });
  const outcome = await askToWrite(target, change.data, { editor, run, context });
  if (outcome.type === "written") return true;
  const { unchangedSince } = placed;
  if (outcome.type === "refused" && unchangedSince === undefined && (await hasUnsavedText(target, { editor, run, context })))
    throw new FileAccessError("failed", `The editor did not write ${context.show(target)}: ${outcome.reason}`);
  if (typeof unchangedSince === "object" && unchangedSince.editorDigest !== undefined)
    throw new FileAccessError(
      "changed",
      `${context.show(target)} has unsaved changes in the editor. Ask the user to save it, and read it again.`,
    );
  return false;
}

async function askToWrite(path: string, text: string, { editor, run }: EditorParts): Promise<EditorWrite> {
  try {
    return await editor.write(path, text, run);
  } catch (error) {
    throw new FileAccessError("failed", error instanceof Error ? error.message : "The editor may not have written it.", { cause: error });
  }
}

async function hasUnsavedText(path: string, { editor, run }: EditorParts): Promise<boolean> {
  const stats = await lstatOf(path);
  if (stats === undefined || stats.size > BigInt(MAX_EDITOR_BYTES)) return false;
  return (await unsavedText(await readFile(path), async () => editor.read(path, run))) !== undefined;
}

async function lstatOf(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
}

/** The file on the disk, and the text in the editor, are those that were read. */
async function requireUnchanged({ target, unchangedSince }: PlacedChange, { editor, run, context }: EditorParts): Promise<void> {
  if (unchangedSince === undefined) return;
  const changed = (): FileAccessError =>
    new FileAccessError("changed", `${context.show(target)} was changed by something else in the meantime; read it again.`);
  const stats = await lstatOf(target);
  if (unchangedSince === "absent") {
    if (stats !== undefined) throw new FileAccessError("changed", `${context.show(target)} exists already.`);
    return;
  }
  if (stats === undefined || !isSameVersion(toVersion(stats), unchangedSince)) throw changed();
  if (stats.size > BigInt(MAX_EDITOR_BYTES)) return;
  const text = await unsavedText(await readFile(target), async () => editor.read(target, run));
  if ((text === undefined ? undefined : digestOf(text)) !== unchangedSince.editorDigest) throw changed();
}

/** The text of an editor that differs from what is saved; line ends, which editors keep apart, do not count. Files that are no text have none. */
async function unsavedText(saved: Buffer, read: () => Promise<string | undefined>): Promise<string | undefined> {
  if (!isUtf8(saved) || saved.includes(0)) return undefined;
  const text = await read();
  return text === undefined || lines(text) === lines(saved.toString()) ? undefined : text;
}

function lines(text: string): string {
  return text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function isInWorkspace(path: string, { grants }: OpenContext): Promise<boolean> {
  const decision = await grants.decide(path);
  return decision.type === "granted" && decision.inWorkspace;
}

/** A file without a name that holds the text. */
async function handleOf(text: string, mode: number): Promise<FileHandle> {
  const path = join(tmpdir(), `.factotum-${process.pid}-${randomUUID()}.tmp`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await rm(path);
    // At a position, so that reading begins at the start.
    const bytes = Buffer.from(text);
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.chmod(mode);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
