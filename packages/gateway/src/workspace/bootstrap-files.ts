import { open } from "node:fs/promises";
import path from "node:path";

/** The files that a workspace is introduced by, in the order and priority of the prompt (design 03, Project Context). */
export const BOOTSTRAP_NAMES = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"] as const;

/** Long-term memory: shown in private sessions only; the first that exists counts. */
const MEMORY_NAMES = ["MEMORY.md", "memory.md"] as const;

/** Bytes that are read of one file. More could not be shown anyway, and a mistake must not fill the memory. */
const MAX_FILE_BYTES: number = 1024 * 1024;

/** One bootstrap file as it is on disk. */
export interface BootstrapFile {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** Absent when there is no such file, or it cannot be read. */
  readonly content?: string;
}

/** All bootstrap files of a workspace, in order; missing ones without content. Reads afresh at every call. */
export async function readBootstrapFiles(workspace: string): Promise<readonly BootstrapFile[]> {
  return Promise.all(BOOTSTRAP_NAMES.map(async (name) => readFileOf(workspace, name)));
}

/** The memory file, or `undefined` when there is none. */
export async function readMemoryFile(workspace: string): Promise<BootstrapFile | undefined> {
  for (const name of MEMORY_NAMES) {
    const file = await readFileOf(workspace, name);
    if (file.content !== undefined) return file;
  }
  return undefined;
}

/** The agent's name as IDENTITY.md gives it: the first line `Name: …`, a list mark and emphasis ignored. */
export function identityName(files: readonly BootstrapFile[]): string | undefined {
  const content = files.find(({ name }) => name === "IDENTITY.md")?.content;
  const line = /^[ \t]*(?:[-*][ \t]*)?[*_]*name[*_]*[ \t]*:[ \t*_]*([^\n]*)$/im.exec(content ?? "")?.[1];
  const name = line?.replaceAll(/[*_`]/g, "").trim();
  return name === undefined || name === "" ? undefined : name.slice(0, 80);
}

async function readFileOf(workspace: string, name: string): Promise<BootstrapFile> {
  const file = path.join(workspace, name);
  try {
    await using handle = await open(file, "r");
    const stats = await handle.stat();
    if (!stats.isFile()) return { name, path: file };
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(Math.min(stats.size, MAX_FILE_BYTES)), position: 0 });
    return { name, path: file, content: new TextDecoder().decode(buffer.subarray(0, bytesRead)) };
  } catch (error) {
    if (isAbsent(error)) return { name, path: file };
    throw error;
  }
}

/** Nothing there, or nothing that may be read: for the prompt both mean that the file is missing. */
function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "EISDIR" || code === "ELOOP";
}
