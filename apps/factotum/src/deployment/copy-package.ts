import { cp, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import * as z from "zod";

const ListSchema = z.object({ files: z.array(z.string()).optional() });

/** Type declarations, sources and maps of them: Node runs none of them in `node_modules`. */
const NOT_RUN = /\.[cm]?tsx?$|\.map$|\.tsbuildinfo$/;

/** What npm packs whatever a package lists. */
const ALWAYS = /^(?:package\.json|readme.*|licen[cs]e.*|notice.*|copying.*)$/i;

/**
 * Copies what runs of an installed package, without its dependencies. Of a folder of sources, which has never been packed, only what its package.json lists under
 * `files` is copied.
 */
export async function copyPackage(source: string, target: string): Promise<void> {
  const { files } = ListSchema.parse(JSON.parse(await readFile(join(source, "package.json"), "utf8")));
  const listed = source.split(sep).includes("node_modules") ? undefined : plainNames(files);
  await cp(source, target, {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const file = relative(source, path);
      if (file === "") return true;
      const [top = ""] = file.split(sep);
      if (file.split(sep).includes("node_modules") || top === ".git" || NOT_RUN.test(file)) return false;
      return listed === undefined || listed.has(top) || ALWAYS.test(file);
    },
  });
}

/** The first parts of the listed paths; `undefined` if a pattern is among them, or nothing is listed. */
function plainNames(files: readonly string[] | undefined): ReadonlySet<string> | undefined {
  const names = files?.map((file) => file.replace(/^\.?\//, ""));
  if (names === undefined || names.some((name) => /^!|[*?{[]/.test(name.split("/")[0] ?? ""))) return undefined;
  return new Set(names.map((name) => name.split("/")[0] ?? ""));
}
