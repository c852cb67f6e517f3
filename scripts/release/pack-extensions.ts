import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT, workspaceFolders } from "../workspace.ts";

const run = promisify(execFile);

/** A channel of a package. */
interface PackedChannel {
  readonly id: string;
  /** What it is and what one needs for it. */
  readonly about?: string;
}

/** The tarball of a published extension or plugin. */
export interface PackedExtension {
  /** The channels that it provides; none for a plugin. */
  readonly channels: readonly PackedChannel[];
  readonly package: string;
  readonly version: string;
  readonly tarball: string;
  /** Of the tarball, as npm writes it. */
  readonly integrity: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly factotum?: { readonly provides: readonly ({ readonly type: string } & PackedChannel)[] };
}

/** What is installed by "factotum plugins add" or "channels add". */
const GROUPS = ["extensions", "plugins"];

/** The folders of the extensions and plugins that a release publishes, sorted: `extensions/irc`, … */
export async function publishedExtensions(): Promise<readonly string[]> {
  const folders = workspaceFolders().filter((folder) => GROUPS.includes(dirname(folder)));
  const manifests = await Promise.all(folders.map(async (folder) => [folder, await readManifest(folder)] as const));
  return manifests.filter(([, manifest]) => manifest.private !== true && manifest.factotum !== undefined).map(([folder]) => folder);
}

/** Packs the extensions and plugins in folders of the repository, each built first, into a folder that is created. What is published must be these tarballs: another build can have another integrity. */
export async function packExtensions(folders: readonly string[], destination: string): Promise<readonly PackedExtension[]> {
  await mkdir(destination, { recursive: true });
  const packed: PackedExtension[] = [];
  // One after the other: each runs a build.
  for (const folder of folders) packed.push(await pack(folder, destination));
  return packed;
}

/** What `known-extensions.json` contains: the package of each channel, and those of plugins by their names. Throws if two packages provide one channel. */
export function knownExtensions(
  packed: readonly PackedExtension[],
): Record<string, Omit<PackedExtension & PackedChannel, "channels" | "id" | "tarball">> {
  const known = packed.flatMap(({ channels, package: name, version, integrity }) =>
    (channels.length === 0 ? [{ id: name }] : channels).map(
      ({ id, ...about }: PackedChannel) => [id, { package: name, version, integrity, ...about }] as const,
    ),
  );
  const ids = known.map(([id]) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`Two packages provide the channel ${twice}.`);
  return Object.fromEntries(known);
}

async function pack(folder: string, destination: string): Promise<PackedExtension> {
  const { name, version, factotum } = await readManifest(folder);
  const staging = await mkdtemp(join(destination, ".packing-"));
  try {
    const args = ["-C", join(ROOT, folder), "pack", "--pack-destination", staging];
    await run("pnpm", args, { maxBuffer: 64 * 1024 * 1024 });
    const [file] = await readdir(staging);
    if (file === undefined) throw new Error(`${name} was not packed.`);
    const tarball = join(destination, file);
    await rename(join(staging, file), tarball);
    const integrity = `sha512-${createHash("sha512")
      .update(await readFile(tarball))
      .digest("base64")}`;
    const channels = (factotum?.provides ?? []).flatMap(({ type, id, about }) =>
      type === "channel" ? [{ id, ...(about !== undefined && { about }) }] : [],
    );
    return { channels, package: name, version, tarball, integrity };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
}
