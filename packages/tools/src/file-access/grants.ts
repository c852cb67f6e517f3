import { lstatSync, realpathSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { EditorFiles, FileCheckpoints, FileProvenance, NoteGate, RunFacts } from "@factotum/agent-contract";
import { systemCode } from "./file-access-error.ts";

/** A folder outside the workspace that tools may use. */
export type FileRoot =
  /** A folder of skills: read only. */
  | { readonly type: "skills"; readonly path: string }
  /** The product's own documentation: read only. */
  | { readonly type: "documentation"; readonly path: string }
  /** The session's received files: read only, and their text is untrusted (R23). */
  | { readonly type: "media"; readonly path: string }
  /** A folder that the owner added (`tools.fs.roots`). */
  | { readonly type: "owner"; readonly path: string; readonly writable: boolean };

/** The accessible folders apart from the workspace. */
export interface FileAccessOptions {
  /** The folders of one run; absolute. A missing one grants nothing. */
  roots(run: RunFacts): readonly FileRoot[];
  /** The state folder: closed, except for the workspace, skill folders and media inside it. */
  readonly home: string;
  /** Files and folders outside the state folder that are closed too, such as a configuration file. */
  readonly protectedPaths?: readonly string[];
  /** The value of `~`; without it such paths are refused. */
  readonly userHome?: string;
  /** Knows which text came from tainted turns, and refuses writes of theirs (R23). Without it nothing is tainted. */
  readonly provenance?: FileProvenance;
  /** Keeps what files held before they change. Without it nothing is kept. */
  readonly checkpoints?: FileCheckpoints;
  /** The files of an editor that the run's session is open in. Without it all files are those of the disk. */
  readonly editor?: EditorFiles;
  /** Keeps the rules for what stands in notes. Without it, notes have no rules. */
  readonly notes?: NoteGate;
}

/** What may be done with a path whose symbolic links are resolved. */
export type Decision =
  | { readonly type: "granted"; readonly writable: boolean; readonly untrusted: boolean; readonly inWorkspace: boolean }
  | { readonly type: "outside" }
  | { readonly type: "reserved" };

interface Grant {
  readonly type: FileRoot["type"] | "workspace";
  /** Real. */
  readonly path: string;
  readonly writable: boolean;
}

/** True when `path` is `folder` or lies under it. Both real and absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`));
}

/** The path does not exist, or cannot be followed. */
const UNRESOLVED: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** The inputs of every decision. */
interface Places {
  /** The workspace and received files: their grants are not widened or tainted by other roots. */
  readonly near: readonly Grant[];
  readonly home: string;
  readonly protectedPaths: readonly string[];
}

/** The grants of one run, with the real path of every needed folder looked up once. */
export class Grants {
  readonly #run: RunFacts;
  readonly #options: FileAccessOptions;
  #places: Promise<Places> | undefined;
  #others: Promise<readonly Grant[]> | undefined;

  constructor(run: RunFacts, options: FileAccessOptions) {
    this.#run = run;
    this.#options = options;
  }

  /**
   * Collects the inputs of every decision. `touched` is a path that was just resolved: the system has its parents in memory, so they are checked without a trip
   * to the thread pool.
   */
  async lookUp(touched: string): Promise<void> {
    const { workspace } = this.#run;
    await (this.#places ??= this.#findPlaces(isWithin(workspace, touched) ? realPathIfThere(workspace) : undefined));
  }

  /** `path` must be real: absolute, without symbolic links. */
  async decide(path: string): Promise<Decision> {
    const { near, home, protectedPaths } = await (this.#places ??= this.#findPlaces());
    if (protectedPaths.some((folder) => isWithin(folder, path))) return { type: "reserved" };
    const inHome = isWithin(home, path);
    const covers = (grant: Grant): boolean => isWithin(grant.path, path) && (!inHome || opensHome(grant, home));
    const nearby = near.filter(covers);
    const isWorkspace = nearby.some(({ type }) => type === "workspace");
    const covering = isWorkspace ? nearby : [...nearby, ...(await (this.#others ??= this.#findOthers())).filter(covers)];
    if (covering.length === 0) return { type: inHome ? "reserved" : "outside" };
    return {
      type: "granted",
      writable: covering.some((grant) => grant.writable),
      untrusted: covering.some((grant) => grant.type === "media"),
      inWorkspace: isWorkspace,
    };
  }

  /** True if a real path is reserved, or a folder around the state folder or a protected path. */
  async holdsReserved(path: string): Promise<boolean> {
    const { home, protectedPaths } = await (this.#places ??= this.#findPlaces());
    if ([home, ...protectedPaths].some((own) => isWithin(path, own))) return true;
    return (await this.decide(path)).type === "reserved";
  }

  async #findPlaces(realWorkspace?: string): Promise<Places> {
    const { home, protectedPaths = [] } = this.#options;
    const workspace = realWorkspace ?? (await ensureWorkspace(this.#run.workspace));
    const received = this.#options
      .roots(this.#run)
      .flatMap(({ type, path }): readonly Grant[] => (type === "media" ? [{ type, path: ownRealPath(path), writable: false }] : []));
    return {
      near: [{ type: "workspace", path: workspace, writable: this.#run.sandbox?.workspaceAccess !== "ro" }, ...received],
      home: ownRealPath(home),
      protectedPaths: protectedPaths.map(ownRealPath),
    };
  }

  /** Everything else, in the order of the roots. */
  async #findOthers(): Promise<readonly Grant[]> {
    return findGrants(this.#options.roots(this.#run).filter(({ type }) => type !== "media"));
  }
}

/** Inside the state folder only the tools' folders count; a wider folder, or one that the owner added, grants nothing there. */
function opensHome(grant: Grant, home: string): boolean {
  return grant.type !== "owner" && grant.path !== home && isWithin(home, grant.path);
}

/** If the workspace was removed since the run began, it is created again. */
async function ensureWorkspace(path: string): Promise<string> {
  const real = await realPathOf(path);
  if (real !== undefined) return real;
  await mkdir(path, { recursive: true, mode: 0o700 });
  return realpath(path);
}

async function findGrants(roots: readonly FileRoot[]): Promise<readonly Grant[]> {
  const grants = await Promise.all(
    roots.map(async (root): Promise<Grant | undefined> => {
      const path = await realPathOf(root.path);
      return path === undefined ? undefined : { type: root.type, path, writable: "writable" in root && root.writable };
    }),
  );
  return grants.filter((grant) => grant !== undefined);
}

/** The real path of something that exists and can be followed; else `undefined`. */
export async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (UNRESOLVED.has(systemCode(error))) return undefined;
    throw error;
  }
}

/** The real path of something that may not exist yet: that of its nearest existing folder, and the rest. */
export async function realPathOfAny(path: string): Promise<string> {
  const real = await realPathOf(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(await realPathOfAny(parent), path.slice(parent === sep ? 1 : parent.length + 1));
}

/**
 * The same for the few paths of the product itself, synchronously: that takes some microseconds, a trip to the thread pool a hundred, and every commit waits
 * for that disk anyway.
 */
function ownRealPath(path: string): string {
  const real = realPathIfThere(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(ownRealPath(parent), path.slice(parent === sep ? 1 : parent.length + 1));
}

function realPathIfThere(path: string): string | undefined {
  try {
    // An exception costs more than a check.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : realpathSync.native(path);
  } catch (error) {
    if (UNRESOLVED.has(systemCode(error))) return undefined;
    throw error;
  }
}
