import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const MAX_DEPTH = 6;
/** Folders scanned under one root. */
const MAX_FOLDERS = 2_000;
const FILE_NAME = "SKILL.md";

/** The result of scanning one root. All paths are real. */
export interface FoundSkills {
  /** The SKILL.md files, by path. */
  readonly files: readonly string[];
  /** Skipped items worth reporting. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Searches a folder for SKILL.md, at most six folders deep. A folder that has one is a skill and is not searched further. Hidden folders and `node_modules` are
 * skipped, links out of the root are refused. A missing root is empty.
 */
export async function findSkillFiles(
  root: string,
  options: { readonly maxSkills: number; readonly signal: AbortSignal },
): Promise<FoundSkills> {
  const search = new SkillSearch(options);
  const real = await realOrUndefined(root);
  if (real !== undefined) await search.visit(real, real, 0);
  return search;
}

class SkillSearch implements FoundSkills {
  readonly files: string[] = [];
  readonly problems: { path: string; message: string }[] = [];
  readonly #maxSkills: number;
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();
  #full = false;

  constructor(options: { readonly maxSkills: number; readonly signal: AbortSignal }) {
    this.#maxSkills = options.maxSkills;
    this.#signal = options.signal;
  }

  async visit(folder: string, root: string, depth: number): Promise<void> {
    this.#signal.throwIfAborted();
    if (this.#full || this.#seen.has(folder)) return;
    if (this.#seen.size >= MAX_FOLDERS) return this.#stop(root, `more than ${MAX_FOLDERS} folders; the rest was not searched`);
    this.#seen.add(folder);
    const entries = await this.#entries(folder);
    if (entries.some(({ name }) => name === FILE_NAME)) return this.#addFile(join(folder, FILE_NAME), root);
    if (depth >= MAX_DEPTH) return;
    for (const entry of entries) {
      const child = await this.#childFolder(folder, entry, root);
      if (child !== undefined) await this.visit(child, root, depth + 1);
    }
  }

  async #addFile(path: string, root: string): Promise<void> {
    const real = await this.#contained(path, root);
    if (real === undefined) return;
    if (this.files.length >= this.#maxSkills) return this.#stop(root, `more than ${this.#maxSkills} skills; the rest was left out`);
    this.files.push(real);
  }

  async #childFolder(folder: string, entry: Dirent, root: string): Promise<string | undefined> {
    if (entry.name.startsWith(".") || entry.name === "node_modules") return undefined;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return path;
    if (!entry.isSymbolicLink()) return undefined;
    const real = await realOrUndefined(path);
    if (real === undefined || !(await stat(real)).isDirectory()) return undefined;
    return this.#contained(path, root);
  }

  async #contained(path: string, root: string): Promise<string | undefined> {
    const real = await realOrUndefined(path);
    const way = real === undefined ? ".." : relative(root, real);
    if (way !== ".." && !way.startsWith(`..${sep}`)) return real;
    this.problems.push({ path, message: "is a link that leads nowhere or out of its folder of skills" });
    return undefined;
  }

  async #entries(folder: string): Promise<Dirent[]> {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error;
      // A root may be a file, or a folder may be gone or unreadable; the other skills stay.
      if (error.code !== "ENOENT") this.problems.push({ path: folder, message: `cannot be listed (${String(error.code)})` });
      return [];
    }
  }

  #stop(root: string, message: string): void {
    this.#full = true;
    this.problems.push({ path: root, message: `holds ${message}` });
  }
}

async function realOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
