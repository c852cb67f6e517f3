import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CliError } from "../runtime/cli-error.ts";
import { readBundleIdentity } from "./bundle.ts";

/** What is not part of a bundle. */
const LEFT_OUT = new Set([".git", "node_modules"]);

/**
 * Makes a package of a bundle of another product, in a new folder: npm packs only what has a package.json. `undefined` for what is no bundle, and is left to
 * npm. Rejects with a `CliError` for a bundle that is broken.
 */
export async function stageBundle(path: string, into: string): Promise<string | undefined> {
  const folder = /\.(?:tgz|tar\.gz|tar)$/.test(path) && existsSync(path) ? await unpack(path, into) : path;
  if (folder === undefined) return undefined;
  try {
    const identity = await readBundleIdentity(folder);
    const own = await packageOf(folder);
    if (identity === undefined || "factotum" in own) return undefined;
    const staged = join(into, "bundle");
    await cp(folder, staged, { recursive: true, verbatimSymlinks: true, filter: (file) => !LEFT_OUT.has(basename(file)) });
    // Without `files` and scripts: all of it is packed, and nothing is run.
    const { files: _files, scripts: _scripts, ...kept } = own;
    await writeFile(join(staged, "package.json"), JSON.stringify({ ...identity, ...kept }));
    return staged;
  } catch (cause) {
    throw new CliError("failure", `The bundle cannot be installed: ${cause instanceof Error ? cause.message : "it cannot be read"}.`, {
      fix: "Nothing was changed.",
      cause,
    });
  }
}

/** A tarball of a package goes to npm as it is. */
async function unpack(path: string, into: string): Promise<string | undefined> {
  const folder = join(into, "unpacked");
  await mkdir(folder, { recursive: true });
  try {
    await promisify(execFile)("tar", ["-xf", path, "-C", folder, "--no-same-owner"]);
  } catch {
    // Without tar, or for what is no archive, npm says what is wrong.
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  const [first, ...others] = await readdir(folder, { withFileTypes: true });
  return first?.isDirectory() === true && others.length === 0 && !first.name.startsWith(".") ? join(folder, first.name) : folder;
}

async function packageOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return {};
  const content: unknown = JSON.parse(await readFile(file, "utf8"));
  return typeof content === "object" && content !== null ? { ...content } : {};
}
