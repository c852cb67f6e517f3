import { lstat } from "node:fs/promises";
import { extname, join } from "node:path";
import { RpcError } from "@factotum/gateway";
import type { KnowledgeFile } from "@factotum/protocol";
import { FileAccessError, type RunFiles } from "@factotum/tools";

/** Below the workspace. */
const FOLDER = "knowledge";
const MAX_FILES = 500;
const MAX_NAME_BYTES = 200;

/** Characters that a name of a file cannot have, or that hide what it is: separators, controls, and those that turn the direction of text. */
const UNFIT = /[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** The files of the folder, by name; none without a folder, or if it leads out of the workspace. Links, folders and hidden files are left out. */
export async function listKnowledge(access: RunFiles): Promise<readonly KnowledgeFile[]> {
  const names: string[] = [];
  let path: string;
  try {
    await using folder = await access.openFolder(FOLDER);
    path = folder.path;
    for await (const entry of folder.entries()) if (entry.isFile() && !entry.name.startsWith(".")) names.push(entry.name);
  } catch (error) {
    // Writing there says why, and nothing else of the list depends on it.
    if (error instanceof FileAccessError) return [];
    throw error;
  }
  const found: KnowledgeFile[] = [];
  for (const name of names.toSorted().slice(0, MAX_FILES)) {
    const stats = await lstat(join(path, name)).catch(goneSince);
    if (stats?.isFile() === true) found.push({ name, sizeBytes: stats.size, changedAtMs: Math.trunc(stats.mtimeMs) });
  }
  return found;
}

/** A file may be removed while the folder is listed. */
function goneSince(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
}

/** Writes a new file; with a number in its name if there is one of this name. Rejects with an `RpcError` if the folder is full. */
export async function addKnowledge(access: RunFiles, name: string, bytes: Uint8Array): Promise<KnowledgeFile> {
  const taken = new Set((await listKnowledge(access)).map((one) => one.name.toLowerCase()));
  if (taken.size >= MAX_FILES) throw new RpcError("too-large", `The folder holds ${MAX_FILES} files. Remove some first.`);
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? name : numbered(name, count);
    if (taken.has(free.toLowerCase())) continue;
    try {
      await access.change([{ type: "write", path: `${FOLDER}/${free}`, data: bytes, unchangedSince: "absent" }], { tainted: false });
      const added = (await listKnowledge(access)).find((one) => one.name === free);
      return added ?? { name: free, sizeBytes: bytes.length, changedAtMs: 0 };
    } catch (error) {
      // Something else has made a file of this name in the meantime, or there is a link or a folder of this name.
      if (error instanceof FileAccessError && error.code === "changed" && count < MAX_FILES) continue;
      throw error;
    }
  }
}

/** Removes a file, by its name as it is: files that came another way have names that a new one cannot have. Rejects with an `RpcError` for one that leaves the folder. */
export async function removeKnowledge(access: RunFiles, name: string): Promise<void> {
  if (name === "" || name.startsWith(".") || /[/\0]/.test(name))
    throw new RpcError("invalid-request", "This is no name of a file in the folder.");
  await access.change([{ type: "remove", path: `${FOLDER}/${name}` }], { tainted: false });
}

/** The name as it is used. Rejects with an `RpcError` for one that leaves the folder, or hides what it is. */
export function knowledgeName(given: string): string {
  const name = given.normalize("NFC").trim();
  const isFit = name !== "" && !name.startsWith(".") && !UNFIT.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (isFit) return name;
  throw new RpcError(
    "invalid-request",
    `A file's name has no slash and no hidden characters, does not begin with a dot, and takes ${MAX_NAME_BYTES} bytes at most. Rename the file.`,
  );
}

function numbered(name: string, count: number): string {
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)} (${count})${extension}`;
}
