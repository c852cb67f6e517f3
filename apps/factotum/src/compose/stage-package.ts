import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { scanSkill, type SkillFinding } from "@factotum/skills";
import { buildCheckoutChannel, checkoutChannels } from "../extensions/checkout-channels.ts";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { installedSource } from "../extensions/installed-source.ts";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { StagedProject } from "../extensions/npm-project.ts";
import { packageSource, type PackageSource } from "../extensions/package-source.ts";
import { providedChannels, providedServers } from "../extensions/provided-types.ts";
import { readManifest } from "../extensions/read-manifest.ts";
import { isRunBy, providedPlugins } from "../extensions/run-by.ts";
import { checkSchemaFile } from "../extensions/schema-file.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { KnownExtensions } from "../runtime/known-extension.ts";
import { CHANNELS, findInstalled } from "./extensions.ts";
import { findListedOrNone, type PackageContext } from "./installed-packages.ts";

/** A package that was fetched and checked, and is not in use yet. Dispose of it in any case. */
export interface StagedPackage extends AsyncDisposable {
  readonly manifest: ExtensionManifest;
  /** What is installed of it now, for an update. */
  readonly before?: ExtensionManifest;
  /** What the scan found in its skills and commands, severe ones first. */
  readonly findings: readonly SkillFinding[];
  /** Names all of its content, with what it depends on: another content has another one. */
  readonly digest: string;
  /** Replaces what is installed. */
  activate(): Promise<void>;
}

/** Fetches and checks a package. Runs no code of it. Rejects with a `CliError`; then nothing has changed. */
export async function stagePackage(
  context: PackageContext,
  spec: string,
  { replaces, folder: workingFolder }: { readonly replaces: boolean; readonly folder: string },
): Promise<StagedPackage> {
  const source = await sourceOf(context, { spec, folder: workingFolder, found: await findInstalled(context.env), isUpdate: replaces });
  const project = await StagedProject.create(context);
  try {
    const found = await findInstalled(context.env);
    const wasListed = new Set(project.names);
    const name = await project.add(source);
    const folder = project.packageFolder(name);
    const manifest = await usableManifest(folder, name);
    await checkSchemas(manifest, folder);
    if (wasListed.has(name) && !replaces)
      throw new CliError("failure", `${name} is installed already.`, { fix: `Replace it with: factotum plugins update ${spec}` });
    if (!wasListed.has(name) && replaces)
      throw new CliError("failure", `${name} is not installed.`, { fix: `Install it with: factotum plugins add ${spec}` });
    checkIds(manifest, found);
    const findings = await scanProvided(manifest, folder, context);
    const lock = await readFile(join(project.folder, "package-lock.json"), "utf8");
    const before = replaces ? found.packages.find((one) => one.name === name)?.manifest : undefined;
    return {
      manifest,
      ...withoutUndefined({ before }),
      findings,
      digest: createHash("sha256")
        .update(JSON.stringify([manifest, findings, lock]))
        .digest("hex"),
      activate: () => project.activate(),
      [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
    };
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
}

/** An update by the name of a package or of its channel reads its source again. In a checkout the id of a channel of its folder is a source, which is built first. */
async function sourceOf(
  { paths, knownExtensions: known, checkout, signal }: PackageContext,
  {
    spec,
    found,
    isUpdate,
    folder,
  }: { readonly spec: string; readonly found: FoundExtensions; readonly isUpdate: boolean; readonly folder: string },
): Promise<PackageSource> {
  const options = { known, folder };
  const listed = isUpdate && !isKnown(spec, known) ? findListedOrNone(found, spec) : undefined;
  if (listed?.source === "deployment")
    throw new CliError("usage", `${listed.name} belongs to the deployment.`, {
      fix: "Update it with npm in the folder of the deployment.",
    });
  if (listed !== undefined) return (await installedSource(listed.name, paths)) ?? packageSource(spec, options);
  const own = isKnown(spec, known) ? undefined : (await checkoutChannels(checkout)).get(spec)?.folder;
  if (own === undefined || checkout === undefined) return packageSource(spec, options);
  await buildCheckoutChannel(checkout, own, { signal });
  return packageSource(own, options);
}

function isKnown(name: string, known: KnownExtensions): boolean {
  return Object.entries(known).some(([id, one]) => id === name || one.package === name);
}

async function usableManifest(folder: string, name: string): Promise<ExtensionManifest> {
  const reading = await readManifest(folder);
  const refuse = (reason: string): CliError =>
    new CliError("failure", `${name} cannot be installed: ${reason}.`, { fix: "Nothing was changed." });
  if (reading.type === "absent" || reading.type === "missing")
    throw refuse("its package.json has no field factotum, so it is no extension");
  if (reading.type === "invalid") throw refuse(reading.problems.join("; "));
  return reading.manifest;
}

/** The schemas are needed by every later command that reads the configuration. */
async function checkSchemas({ name, provides }: ExtensionManifest, folder: string): Promise<void> {
  const schemas = [...providedChannels(provides), ...providedPlugins(provides)].flatMap(({ configSchema }) => configSchema ?? []);
  for (const configSchema of new Set(schemas)) {
    try {
      await checkSchemaFile(join(folder, configSchema));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : "cannot be read";
      throw new CliError("failure", `${name} cannot be installed: its schema ${configSchema} ${reason}.`, {
        fix: "Nothing was changed.",
        cause,
      });
    }
  }
}

function checkIds(manifest: ExtensionManifest, { channels, plugins, servers }: FoundExtensions): void {
  for (const kind of ["mcp", "lsp"] as const) {
    for (const { name } of providedServers(manifest.provides, kind)) {
      const owner = servers[kind].find((one) => one.name === name && one.packageName !== manifest.name)?.packageName;
      if (owner === undefined) continue;
      throw new CliError("failure", `${manifest.name} cannot be installed: its server "${name}" has the name of a server of ${owner}.`, {
        fix: "Nothing was changed.",
      });
    }
  }
  for (const { id } of providedPlugins(manifest.provides)) {
    const owner = plugins.find((one) => one.id === id && one.packageName !== manifest.name)?.packageName;
    if (owner === undefined) continue;
    throw new CliError("failure", `${manifest.name} cannot be installed: its plugin "${id}" has the id of the plugin of ${owner}.`, {
      fix: "Nothing was changed.",
    });
  }
  for (const { id } of providedChannels(manifest.provides)) {
    const builtIn = CHANNELS.some((channel) => channel.id === id) ? `the built-in @factotum/${id}` : undefined;
    const owner = builtIn ?? channels.find((channel) => channel.id === id && channel.packageName !== manifest.name)?.packageName;
    if (owner === undefined) continue;
    throw new CliError("failure", `${manifest.name} cannot be installed: its channel "${id}" has the id of the channel of ${owner}.`, {
      fix: "Nothing was changed.",
    });
  }
}

/** What the scan finds in the skills and commands of a package, as for a skill that is installed alone. Rejects with a CliError without their folder. */
async function scanProvided(
  { name, provides }: ExtensionManifest,
  folder: string,
  context: Pick<CliContext, "signal">,
): Promise<readonly SkillFinding[]> {
  const found: SkillFinding[] = [];
  for (const one of provides) {
    if (one.type !== "skills" && one.type !== "prompts") continue;
    const path = join(folder, one.path);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory() !== true)
      throw new CliError("failure", `${name} cannot be installed: it has no folder ${one.path}, where its ${one.type} should be.`, {
        fix: "Nothing was changed.",
      });
    found.push(...(await scanSkill(path, context)));
  }
  return found;
}

/** What runs the code of a package, and so what it can reach. */
export function reachOf({ provides }: ExtensionManifest): "gateway" | "server" | "plugin" | "nothing" {
  const how = (["gateway", "server", "plugin"] as const).find((one) => isRunBy(one, provides));
  return how ?? "nothing";
}
