import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { CliError } from "../runtime/cli-error.ts";

/** Which files of the build import which. */
export interface ChunkGraph {
  readonly entries: readonly string[];
  /** The chunk of each built-in extension, by its id. */
  readonly extensions: Readonly<Record<string, string>>;
  readonly chunks: Readonly<Record<string, { readonly imports: readonly string[]; readonly dynamicImports: readonly string[] }>>;
}

const GraphSchema: z.ZodType<ChunkGraph> = z.object({
  entries: z.array(z.string()),
  extensions: z.record(z.string(), z.string()),
  chunks: z.record(z.string(), z.object({ imports: z.array(z.string()), dynamicImports: z.array(z.string()) })),
});

/** Reads the graph of a build, from its folder `dist`. Rejects with a `CliError` if there is no build. */
export async function readChunkGraph(dist: string): Promise<ChunkGraph> {
  try {
    return GraphSchema.parse(JSON.parse(await readFile(join(dist, "chunks.json"), "utf8")));
  } catch (cause) {
    throw new CliError("failure", `${dist} is not a complete build of factotum.`, {
      fix: "In a clone, build it with: npm start. An installation is repaired by installing it again.",
      cause,
    });
  }
}

/** The part of the graph that is left without the extensions that were not chosen. */
export function withoutOthers({ entries, extensions, chunks }: ChunkGraph, chosen: ReadonlySet<string>): ChunkGraph {
  const kept = Object.entries(extensions).filter(([id]) => chosen.has(id));
  const cut = new Set(Object.entries(extensions).flatMap(([id, file]) => (chosen.has(id) ? [] : [file])));
  const reached = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const chunk = chunks[file];
    if (chunk === undefined || reached.has(file)) continue;
    reached.add(file);
    open.push(...chunk.imports, ...chunk.dynamicImports.filter((imported) => !cut.has(imported)));
  }
  const isLeft = (file: string): boolean => reached.has(file);
  return {
    entries,
    extensions: Object.fromEntries(kept),
    chunks: Object.fromEntries(
      Object.entries(chunks)
        .filter(([file]) => isLeft(file))
        .map(([file, { imports, dynamicImports }]) => [file, { imports, dynamicImports: dynamicImports.filter(isLeft) }]),
    ),
  };
}

/** Half of the size of a deployment. */
const BROWSER_LIBRARY = "playwright-core/";

/** The files of a build, relative to its folder, that remain: all that are no chunks, and those chunks. Files about other extensions are left out, and without `hasBrowser` the library of the browser. */
export async function ownFiles(
  dist: string,
  { all, left, hasBrowser }: { readonly all: ChunkGraph; readonly left: ChunkGraph; readonly hasBrowser: boolean },
): Promise<readonly string[]> {
  const files = await readdir(dist, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dist.length + 1))
    .filter((file) => {
      if (file === "chunks.json" || (!hasBrowser && file.startsWith(BROWSER_LIBRARY))) return false;
      if (Object.hasOwn(all.chunks, file)) return Object.hasOwn(left.chunks, file);
      const id = /^extensions\/(.+)\.json$/.exec(file)?.[1];
      return id === undefined || Object.hasOwn(left.extensions, id);
    });
}
