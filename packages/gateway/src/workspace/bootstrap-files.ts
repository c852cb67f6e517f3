import { open, stat } from "node:fs/promises";
import path from "node:path";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import type { BootstrapFile } from "@factotum/agent-core";

/** Maximum bytes read of one file. More could not be shown anyway, and a huge file must not fill the memory. */
const MAX_FILE_BYTES: number = 1024 * 1024;

/** The files that introduce a workspace, in the order of the prompt; a missing or unreadable one has no content. Not cached. */
export async function readBootstrapFiles(workspace: string): Promise<readonly BootstrapFile[]> {
  return Promise.all(
    BOOTSTRAP_NAMES.map(async (name) => ({ name, path: path.join(workspace, name), content: await readText(path.join(workspace, name)) })),
  );
}

/** When each of the files was last changed, milliseconds since the epoch; missing files are omitted. */
export async function bootstrapTimes(workspace: string): Promise<ReadonlyMap<BootstrapFile["name"], number>> {
  const times = await Promise.all(BOOTSTRAP_NAMES.map(async (name) => [name, await changedAt(path.join(workspace, name))] as const));
  return new Map(times.flatMap(([name, time]) => (time === undefined ? [] : [[name, time] as const])));
}

/** When a file was last changed, or `undefined` if it does not exist. */
export async function changedAt(file: string): Promise<number | undefined> {
  try {
    const stats = await stat(file);
    return stats.isFile() ? Math.trunc(stats.mtimeMs) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The agent's name in IDENTITY.md: the first line `Name: …`, ignoring a list mark and emphasis. */
export function identityName(files: readonly BootstrapFile[]): string | undefined {
  const content = files.find(({ name }) => name === "IDENTITY.md")?.content;
  const line = /^[ \t]*(?:[-*][ \t]*)?[*_]*name[*_]*[ \t]*:[ \t*_]*([^\n]*)$/im.exec(content ?? "")?.[1];
  const name = line?.replaceAll(/[*_`]/g, "").trim();
  return name === undefined || name === "" ? undefined : name.slice(0, 80);
}

/** The name in the IDENTITY.md of a workspace, read now; `undefined` without a file or a name. */
export async function readIdentityName(workspace: string): Promise<string | undefined> {
  const name = "IDENTITY.md";
  const file = path.join(workspace, name);
  return identityName([{ name, path: file, content: await readText(file) }]);
}

async function readText(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, "r");
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES)), position: 0 });
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Missing or unreadable: for the prompt both mean that the file is missing. */
function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EISDIR" || code === "ELOOP";
}
