import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock, Logger, MemoryQuery } from "@factotum/agent-contract";
import { NoteMemory, type NoteMemoryOptions } from "../src/index.ts";

/** Notes in a temporary workspace, and a memory over them. */
export interface NoteRig extends AsyncDisposable {
  readonly folder: string;
  readonly workspace: string;
  readonly memory: NoteMemory;
  /** Absolute paths of files with text of others. */
  readonly untrusted: Set<string>;
  readonly warnings: string[];
  /** Writes a file of the workspace; each write has a later time than those before it. */
  put(path: string, text: string): Promise<string>;
  search(query: string, options?: Partial<MemoryQuery>): ReturnType<NoteMemory["search"]>;
  /** A memory over the same folders, as after a restart. */
  reopen(options?: Partial<NoteMemoryOptions>): NoteMemory;
}

export const AGENT: { readonly agentId: string; readonly signal: AbortSignal } = { agentId: "main", signal: new AbortController().signal };
/** 2026-11-28. */
export const NOW_MS: number = Date.UTC(2026, 10, 28, 12);

export async function createNoteRig({
  extraPaths = [],
  ...given
}: Partial<NoteMemoryOptions> & { readonly extraPaths?: readonly string[] } = {}): Promise<NoteRig> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "memory-")));
  const [folder, workspace] = [join(base, "state"), join(base, "workspace")];
  await mkdir(workspace);
  const untrusted = new Set<string>();
  const warnings: string[] = [];
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: (message) => void warnings.push(message),
    error: ignore,
    child: () => logger,
  };
  const opened: NoteMemory[] = [];
  const open = (more: Partial<NoteMemoryOptions> = {}): NoteMemory => {
    const memory = new NoteMemory({
      folder,
      placesOf: (agentId) => (agentId === "main" ? { workspace, extraPaths: extraPaths.map((path) => join(base, path)) } : undefined),
      isUntrusted: async (file) => untrusted.has(file),
      clock,
      logger,
      ...given,
      ...more,
    });
    opened.push(memory);
    return memory;
  };
  const memory = open();
  let writtenAtS = 1_700_000_000;
  return {
    folder,
    workspace,
    memory,
    untrusted,
    warnings,
    async put(path, text) {
      const file = join(workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      writtenAtS += 1;
      await utimes(file, writtenAtS, writtenAtS);
      return file;
    },
    search: (query, options = {}) =>
      memory.search({ query, maxResults: 6, minScore: 0, sources: ["notes", "sessions"], ...options }, AGENT),
    reopen: open,
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}

function ignore(): void {}

const clock: Clock = {
  now: () => NOW_MS,
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
