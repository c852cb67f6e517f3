import { chmod, copyFile, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { ChosenChannels } from "./channel-sources.ts";
import { copyPackage } from "./copy-package.ts";
import { renderDeploymentFiles } from "./deployment-files.ts";
import { ownFiles, readChunkGraph, withoutOthers } from "./own-files.ts";
import { packageClosure } from "./package-closure.ts";
import { StagedFolder } from "./staged-folder.ts";
import { providedChannels } from "../extensions/provided-types.ts";

/** What is built. */
export interface BuildOptions {
  /** The folder of the deployment; absolute. */
  readonly folder: string;
  /** The package of the command; absolute. */
  readonly product: string;
  readonly chosen: Pick<ChosenChannels, "builtIn" | "packages" | "names">;
  /** With the library of the browser tool. */
  readonly hasBrowser: boolean;
}

/** A written deployment. */
export interface BuiltDeployment {
  readonly folder: string;
  readonly channels: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

const ProductSchema = z.looseObject({ version: z.string() });

/** What a deployment needs of the package's package.json: nothing of its development. */
const MANIFEST_KEYS = [
  "name",
  "version",
  "description",
  "license",
  "type",
  "bin",
  "exports",
  "engines",
  "peerDependencies",
  "peerDependenciesMeta",
];

/** Writes a deployment, or updates one. On a failure the folder stays as it was. */
export async function buildDeployment({ folder, product, chosen, hasBrowser }: BuildOptions): Promise<BuiltDeployment> {
  await using staged = await StagedFolder.create(folder);
  const modules = join(staged.staging, "node_modules");
  const version = await copyProduct({ product, target: join(modules, "factotum"), builtIn: new Set(chosen.builtIn), hasBrowser });
  await mkdir(join(modules, ".bin"));
  await symlink("../factotum/dist/factotum.mjs", join(modules, ".bin/factotum"));
  for (const { source, target } of await packageClosure(chosen.packages)) await copyPackage(source, join(staged.staging, target));
  const provided = chosen.packages.flatMap(({ manifest }) => providedChannels(manifest.provides).map(({ id }) => id));
  const channels = [...new Set([...chosen.builtIn, ...provided])].toSorted();
  const files = renderDeploymentFiles({
    version,
    channels,
    others: chosen.names.filter((name) => !channels.includes(name)),
    packages: chosen.packages.map(({ manifest }) => ({ name: manifest.name, version: manifest.version })),
  });
  for (const [name, text] of Object.entries(files)) await writeFile(join(staged.staging, name), text);
  const size = await measure(staged.staging);
  await staged.activate();
  return { folder, channels, ...size };
}

/** Copies the command without the extensions that were not chosen; resolves with its version. */
async function copyProduct({
  product,
  target,
  builtIn,
  hasBrowser,
}: {
  product: string;
  target: string;
  builtIn: ReadonlySet<string>;
  hasBrowser: boolean;
}): Promise<string> {
  const dist = join(product, "dist");
  const all = await readChunkGraph(dist);
  const left = withoutOthers(all, builtIn);
  for (const file of await ownFiles(dist, { all, left, hasBrowser })) {
    await mkdir(dirname(join(target, "dist", file)), { recursive: true });
    await copyFile(join(dist, file), join(target, "dist", file));
  }
  await writeFile(join(target, "dist/chunks.json"), JSON.stringify(left));
  await chmod(join(target, "dist/factotum.mjs"), 0o755);
  await cp(join(product, "LICENSE"), join(target, "LICENSE"));
  const manifest = ProductSchema.parse(JSON.parse(await readFile(join(product, "package.json"), "utf8")));
  const kept = Object.fromEntries(Object.entries(manifest).filter(([key]) => MANIFEST_KEYS.includes(key)));
  await writeFile(join(target, "package.json"), `${JSON.stringify(kept, null, 2)}\n`);
  return manifest.version;
}

async function measure(folder: string): Promise<{ readonly files: number; readonly bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
