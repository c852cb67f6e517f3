import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nearestName } from "@factotum/agent-contract";
import { statePaths, type Environment } from "@factotum/config";
import { buildAgain } from "../extensions/build-again.ts";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { parseManifest, type ExtensionManifest } from "../extensions/manifest.ts";
import { StagedProject } from "../extensions/npm-project.ts";
import { packageSource } from "../extensions/package-source.ts";
import { providedChannels } from "../extensions/provided-types.ts";
import { checkSchemaFile } from "../extensions/schema-file.ts";
import { CliError } from "../runtime/cli-error.ts";
import { knownChannels, type KnownExtensions } from "../runtime/known-extension.ts";

/** A package of chosen channels. */
export interface ChosenPackage {
  readonly name: string;
  readonly folder: string;
  readonly manifest: ExtensionManifest;
}

/** Where channels are searched. */
export interface SourceOptions {
  /** Ids of the channels that the command's own files contain. */
  readonly builtIn: readonly string[];
  /** Those of them that every deployment has. */
  readonly implicit: readonly string[];
  readonly found: FoundExtensions;
  readonly known: KnownExtensions;
  /** The folder `extensions` of a clone; `undefined` in an installation. */
  readonly workspace: string | undefined;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** The channels of a deployment. Disposing it removes packages that were only fetched for it. */
export interface ChosenChannels extends AsyncDisposable {
  readonly builtIn: readonly string[];
  readonly packages: readonly ChosenPackage[];
  /** All channels by name that could have been chosen. */
  readonly names: readonly string[];
}

/**
 * Finds what was chosen: a built-in channel, one of an installed package, one of a clone, one of the release's list, or else a folder, a tarball or
 * `name@version` as `factotum plugins add` takes it. Rejects with a `CliError` that has the names.
 */
export async function chooseChannels(chosen: readonly string[], options: SourceOptions): Promise<ChosenChannels> {
  const { builtIn, found, implicit, known, workspace } = options;
  const inClone = workspace === undefined ? [] : await readdir(workspace);
  const names = [...new Set([...builtIn, ...found.channels.map(({ id }) => id), ...inClone, ...knownChannels(known)])].toSorted();
  await using stack = new AsyncDisposableStack();
  const own = new Set<string>();
  const packages = new Map<string, ChosenPackage>();
  for (const one of [...implicit, ...chosen]) {
    const installed = found.channels.find(({ id }) => id === one);
    if (builtIn.includes(one)) own.add(one);
    else if (installed !== undefined) await add(packages, folderOf(found, installed.packageName));
    else if (inClone.includes(one)) await add(packages, join(workspace ?? "", one));
    else if (Object.hasOwn(known, one) || isSource(one)) await add(packages, await fetchPackage(one, { ...options, stack }));
    else throw found.build?.others.includes(one) === true ? missingHere(one, chosen) : unknownChannel(one, { names, found });
  }
  checkClashes([...packages.values()], own);
  const kept = stack.move();
  return { builtIn: [...own], packages: [...packages.values()], names, [Symbol.asyncDispose]: async () => kept.disposeAsync() };
}

/** A name is the id of a channel; everything else is a package. */
function isSource(text: string): boolean {
  return /[/\\.@:]/.test(text);
}

/** A deployment cannot build what it does not contain. */
function missingHere(id: string, chosen: readonly string[]): CliError {
  return new CliError("failure", `This deployment was built without the channel "${id}".`, { fix: `Build it again ${buildAgain(chosen)}` });
}

function unknownChannel(id: string, { names, found }: { readonly names: readonly string[]; readonly found: FoundExtensions }): CliError {
  const broken = found.problems.find(({ channelIds }) => channelIds.includes(id));
  if (broken !== undefined)
    return new CliError("failure", `The channel "${id}" cannot be used: ${broken.message}.`, { fix: "Nothing was changed." });
  const meant = nearestName(id, names);
  return new CliError("usage", `There is no channel "${id}".${meant === undefined ? "" : ` Did you mean "${meant}"?`}`, {
    fix: `Known are: ${names.join(", ")}. For another one give its package: a folder (./${id}), a tarball, or name@version.`,
  });
}

function folderOf({ packages }: FoundExtensions, name: string): string {
  const listed = packages.find((one) => one.name === name);
  if (listed === undefined) throw new Error(`The package ${name} is not listed.`);
  return listed.folder;
}

async function add(packages: Map<string, ChosenPackage>, folder: string): Promise<void> {
  const reading = parseManifest(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  if (reading.type !== "manifest") {
    const why = reading.type === "absent" ? "its package.json has no field factotum" : reading.problems.join("; ");
    throw new CliError("failure", `The package ${folder} is no extension: ${why}.`, { fix: "Nothing was changed." });
  }
  const { manifest } = reading;
  for (const { entry, configSchema } of providedChannels(manifest.provides)) {
    if (!existsSync(join(folder, entry))) {
      throw new CliError("failure", `${manifest.name} is not built: ${join(folder, entry)} is missing.`, {
        fix: "Build the package first.",
      });
    }
    await checkSchemaFile(join(folder, configSchema)).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : "cannot be read";
      throw new CliError("failure", `${manifest.name} cannot be used: its schema ${configSchema} ${reason}.`, {
        fix: "Nothing was changed.",
        cause,
      });
    });
  }
  packages.set(manifest.name, { name: manifest.name, folder, manifest });
}

/** Installs a package as `factotum plugins add` does, into a folder that is removed afterwards; resolves with where it is. */
async function fetchPackage(
  spec: string,
  { known, env, signal, stack }: SourceOptions & { readonly stack: AsyncDisposableStack },
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "factotum-build-"));
  stack.defer(async () => rm(home, { recursive: true, force: true }));
  const project = stack.use(await StagedProject.create({ paths: statePaths({ ...env, FACTOTUM_HOME: home }), env, signal }));
  return project.packageFolder(await project.add(packageSource(spec, { known, folder: process.cwd() })));
}

/** An id belongs to one package: the others would not be used. */
function checkClashes(packages: readonly ChosenPackage[], builtIn: ReadonlySet<string>): void {
  const owners = new Map([...builtIn].map((id) => [id, "factotum"]));
  for (const { name, manifest } of packages) {
    for (const { id } of providedChannels(manifest.provides)) {
      const owner = owners.get(id);
      if (owner !== undefined)
        throw new CliError("usage", `Both ${owner} and ${name} provide the channel "${id}".`, { fix: "Choose one of them." });
      owners.set(id, name);
    }
  }
}
