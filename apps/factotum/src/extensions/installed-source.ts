import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StatePaths } from "@factotum/config";
import * as z from "zod";
import { CliError } from "../runtime/cli-error.ts";
import { packageSource, type PackageSource } from "./package-source.ts";
import { currentProject, readText } from "./project-folders.ts";

const ProjectSchema = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  factotum: z
    .object({ extensions: z.array(z.string()).default([]), sources: z.record(z.string(), z.string()).default({}) })
    .default({ extensions: [], sources: {} }),
});

/**
 * Where an installed package was taken from: its folder, tarball or address, which may have another version by now. `undefined` for a package that is not
 * installed. Throws a `CliError` that asks for the new source if the old one is gone or has one version only.
 */
export async function installedSource(name: string, paths: Pick<StatePaths, "home">): Promise<PackageSource | undefined> {
  const folder = await currentProject(paths);
  const text = folder === undefined ? undefined : await readText(join(folder, "package.json"));
  if (text === undefined) return undefined;
  const { dependencies, factotum } = ProjectSchema.parse(JSON.parse(text));
  if (!factotum.extensions.includes(name)) return undefined;
  const path = factotum.sources[name];
  const fix = `Give its new source: factotum plugins update <folder or tarball>, or ${name}@<version>.`;
  if (path !== undefined) {
    if (existsSync(path)) return { type: "local", path };
    throw new CliError("usage", `${name} was installed from ${path}, which is not there any more.`, { fix });
  }
  const source = packageSource(dependencies[name] ?? "", { known: {}, folder: folder ?? "" });
  if (source.type === "remote") return source;
  throw new CliError("usage", `${name} was installed from a source that is not recorded, or in one exact version.`, { fix });
}
