import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import * as z from "zod";
import { isPackageName } from "./package-name.ts";
import type { DeploymentBuild } from "./found-extensions.ts";
import type { ManifestReading } from "./manifest.ts";
import { readText } from "./project-folders.ts";
import { readManifest } from "./read-manifest.ts";

/** An npm project whose package.json lists extensions under `factotum.extensions`. */
export interface ExtensionProject {
  readonly folder: string;
  readonly packages: readonly ProjectPackage[];
  /** Set in a folder that `factotum build` has written. */
  readonly build?: DeploymentBuild;
  /** Why the list itself cannot be used. */
  readonly problem?: string;
}

/** A listed package with its manifest. */
export interface ProjectPackage {
  readonly name: string;
  readonly folder: string;
  /** `missing`: it is listed and not installed. */
  readonly reading: ManifestReading | { readonly type: "missing" };
}

const ProjectSchema = z.object({
  factotum: z
    .object({
      extensions: z.array(z.string()).default([]),
      build: z.object({ channels: z.array(z.string()), others: z.array(z.string()) }).optional(),
    })
    .optional(),
});

/** Reads the listed packages of a project, and no others in its `node_modules`. A folder without package.json has none. */
export async function readProject(folder: string): Promise<ExtensionProject> {
  const path = join(folder, "package.json");
  const text = await readText(path);
  if (text === undefined) return { folder, packages: [] };
  const parsed = ProjectSchema.safeParse(parseJson(text));
  if (!parsed.success) return { folder, packages: [], problem: `${path} cannot be read: factotum.extensions is a list of package names` };
  const names = [...new Set(parsed.data.factotum?.extensions ?? [])];
  const build = parsed.data.factotum?.build;
  const packages = await Promise.all(names.map(async (name) => readPackage(folder, name)));
  return { folder, packages, ...withoutUndefined({ build }) };
}

async function readPackage(project: string, name: string): Promise<ProjectPackage> {
  const folder = join(project, "node_modules", name);
  return { name, folder, reading: isPackageName(name) ? await readManifest(folder) : { type: "missing" } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
