import { Buffer } from "node:buffer";
import { basename } from "node:path";
import type { RunFacts, SpawnAttachment } from "@factotum/agent-contract";
import { z } from "zod";
import type { FileAccess } from "../file-access/create-file-access.ts";
import type { OpenFile } from "../file-access/open-file.ts";

/** How many files a task may come with. */
export const MAX_ATTACHMENTS = 50;
const MAX_TOTAL_MIB = 20;
const MAX_TOTAL_BYTES = MAX_TOTAL_MIB * 1024 * 1024;
const MAX_NAME_CHARS = 100;
const NOT_IN_NAMES = /[^\p{L}\p{N}._-]/gu;

/** An attachment as a model names it. */
export const AttachmentSchema: z.ZodObject<
  { path: z.ZodOptional<z.ZodString>; name: z.ZodOptional<z.ZodString>; content: z.ZodOptional<z.ZodString> },
  z.core.$strict
> = z.strictObject({
  path: z.string().max(4_096).optional().describe("A file that you can read"),
  name: z.string().max(255).optional().describe("Its name there. Default: that of the file"),
  content: z.string().optional().describe("Its text, instead of path"),
});

/** The files of a call. `untrusted`: one has text of others (R23). `problem`: for the model. */
export type ReadAttachments =
  | { readonly type: "read"; readonly files: readonly SpawnAttachment[]; readonly untrusted: boolean }
  | { readonly type: "problem"; readonly problem: string };

/** Reads the files that a task comes with, as far as the run may read them, and gives them safe names. Rejects with a `FileAccessError` for one that it cannot read. */
export async function readAttachments(
  asked: readonly z.output<typeof AttachmentSchema>[],
  { files, run, signal }: { readonly files: FileAccess; readonly run: RunFacts; readonly signal: AbortSignal },
): Promise<ReadAttachments> {
  if (asked.length > MAX_ATTACHMENTS)
    return problem(
      `${asked.length} files are too many: at most ${MAX_ATTACHMENTS}. Put the others into one archive, or give their paths in the task.`,
    );
  const access = await files.forRun(run);
  const read: SpawnAttachment[] = [];
  const names = new Set<string>();
  let bytes = 0;
  let untrusted = false;
  for (const [index, { path = "", name = "", content }] of asked.entries()) {
    signal.throwIfAborted();
    const number = `number ${index + 1}`;
    if ((path === "") === (content === undefined))
      return problem(`${number} needs either path or content${path === "" ? "" : ", not both"}.`);
    await using file = content === undefined ? await access.openFile(path) : undefined;
    const wanted = name === "" ? basename(path) : name;
    const safe = safeName(wanted);
    if (wanted === "") return problem(`${number} needs a name, such as notes.txt.`);
    if (safe === undefined)
      return problem(`${number} cannot be called ${JSON.stringify(wanted)}. Give it a plain file name, such as notes.txt.`);
    if (names.has(safe.toLowerCase())) return problem(`two files are called ${safe}. Give one of them another name.`);
    names.add(safe.toLowerCase());
    bytes += file?.sizeBytes ?? Buffer.byteLength(content ?? "");
    if (bytes > MAX_TOTAL_BYTES) return tooLarge(safe, bytes);
    untrusted ||= file?.untrusted === true;
    read.push({ name: safe, data: file === undefined ? Buffer.from(content ?? "") : await readOpen(file) });
  }
  return { type: "read", files: read, untrusted };
}

/** As much as the file had when it was opened: it may have grown since. */
async function readOpen({ handle, sizeBytes }: OpenFile): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sizeBytes), 0, sizeBytes, 0);
  return buffer.subarray(0, bytesRead);
}

function tooLarge(name: string, bytes: number): ReadAttachments {
  const size = bytes.toLocaleString("en");
  return problem(
    `with ${name} the files have ${size} bytes, and at most ${MAX_TOTAL_MIB} MiB are taken. Leave out what the task does not need.`,
  );
}

function problem(text: string): ReadAttachments {
  return { type: "problem", problem: `attachments: ${text}` };
}

/** Letters, digits and `._-`; other characters become `_`. `undefined` for a path, and for what names no file. */
function safeName(name: string): string | undefined {
  if (/[/\\]/.test(name)) return undefined;
  const safe = name.trim().toWellFormed().normalize("NFC").replaceAll(NOT_IN_NAMES, "_");
  const isFile = !/^\.*$/.test(safe) && safe.toLowerCase() !== ".gitignore";
  return isFile && safe.length <= MAX_NAME_CHARS ? safe : undefined;
}
