import { join } from "node:path";
import { formatProblem, loadConfig, type ConfigProblem, type FactotumConfig } from "@factotum/config";
import type { SkillFinding } from "@factotum/skills";
import { CHANNELS, configOptions, findInstalled } from "../compose/extensions.ts";
import { removeLogin } from "../compose/mcp-logins.ts";
import { checkExtensions } from "../doctor/check-extensions.ts";
import type { Finding } from "../doctor/finding.ts";
import { readBuiltInManifest } from "../extensions/built-in.ts";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { installedSource } from "../extensions/installed-source.ts";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { StagedProject } from "../extensions/npm-project.ts";
import { checkSchemaFile } from "../extensions/schema-file.ts";
import { packageSource, type PackageSource } from "../extensions/package-source.ts";
import { readManifest } from "../extensions/read-manifest.ts";
import { isPublicRoute } from "../extensions/provided-routes.ts";
import { addedParts, describePart, partOf, providedChannels, providedServers, type DescribedPart } from "../extensions/provided-types.ts";
import { isRunBy, providedPlugins } from "../extensions/run-by.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { plainText } from "../runtime/foreign-text.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import type { KnownExtensions } from "../runtime/known-extension.ts";
import { renderTable } from "../runtime/render-table.ts";
import { showSkillFindings } from "./plugin-skills.ts";
import { refusedBySeverity } from "./skill-findings.ts";

/** How a change is run. */
export interface PluginOptions {
  /** Permissions are confirmed. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** Installs a package after its permissions are confirmed. Without a change on any failure. */
export async function pluginsAdd(context: CliContext, spec: string, options: PluginOptions): Promise<number> {
  const manifest = await installPlugin(context, spec, { ...options, replaces: false });
  return report(context, manifest, options);
}

/** Replaces an installed package by another version, after what changed in its permissions is confirmed. */
export async function pluginsUpdate(context: CliContext, spec: string, options: PluginOptions): Promise<number> {
  const manifest = await installPlugin(context, spec, { ...options, replaces: true });
  const isReloaded = providedChannels(manifest.provides).length === 0;
  return report(
    context,
    manifest,
    options,
    isReloaded ? undefined : 'A running gateway uses the new version after "factotum gateway restart".',
  );
}

/** Removes a package. Refused while one of its channels is configured, unless forced. */
export async function pluginsRemove(
  context: CliContext,
  named: string,
  options: { readonly force: boolean; readonly json: boolean },
): Promise<number> {
  const { json, force } = options;
  const found = await findInstalled(context.env);
  const listed = findListed(found, named);
  const name = listed.name;
  if (listed.source === "deployment") {
    throw new CliError("usage", `${name} belongs to the deployment.`, {
      fix: "Remove it from factotum.extensions of the deployment's package.json.",
    });
  }
  const accounts = await configuredAccounts(
    context,
    providedChannels(listed.manifest?.provides ?? []).map(({ id }) => id),
  );
  if (accounts.length > 0 && !force) {
    throw new CliError("failure", `${name} is in use: ${accounts.join(", ")} ${accounts.length === 1 ? "is" : "are"} configured.`, {
      fix: `Remove that first: ${accounts.map((account) => `factotum channels remove ${account}`).join(" && ")}, or pass --force.`,
    });
  }
  await using project = await StagedProject.create(context);
  await project.remove(name);
  await project.activate();
  const reloaded = await reloadGateway(context, { force: true });
  await forgetServers(context, listed.manifest?.provides ?? []);
  if (json) printJson(context, { removed: name });
  else context.print(`${name} is removed.\n`);
  if (!json) context.note(`${describeReload(reloaded)}\n`);
  return EXIT.ok;
}

/** Logins at the servers of a removed package; those of the owner's entries of the same names stay. */
async function forgetServers({ env, paths }: CliContext, provides: ExtensionManifest["provides"]): Promise<void> {
  const loaded = await loadConfig(await configOptions(env));
  const kept = loaded.type === "loaded" ? loaded.config.mcp.servers : undefined;
  for (const { name } of providedServers(provides, "mcp"))
    if (kept !== undefined && !Object.hasOwn(kept, name)) await removeLogin(paths, name);
}

/** Lists the built-in and the installed packages. */
export async function pluginsList(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const found = await findInstalled(context.env);
  const builtIn = await Promise.all(CHANNELS.map(async ({ id }) => rowOf(await readBuiltInManifest(id), "built-in")));
  const others = found.packages.map(({ name, source, manifest }) => {
    const problems = found.problems.filter(({ packageName }) => packageName === name).map(({ message }) => message);
    return manifest === undefined ? { name, source, problems } : { ...rowOf(manifest, source), problems };
  });
  if (json) {
    printJson(context, { plugins: [...builtIn, ...others] });
    return EXIT.ok;
  }
  const rows = [...builtIn, ...others].map((row) => [
    row.name,
    "version" in row ? row.version : "",
    row.source,
    "provides" in row ? [...row.provides.map(describePart), ...row.unused.map((part) => `not used: ${part}`)].join(", ") : "",
  ]);
  context.print(renderTable(["PACKAGE", "VERSION", "SOURCE", "PROVIDES"], rows));
  for (const { message } of found.problems) context.print(`! ${message}\n`);
  return EXIT.ok;
}

/** Checks the installed packages and imports those of configured channels. */
export async function pluginsDoctor(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  const findings = [
    ...loaded.problems.filter(({ type }) => type === "unknown-channel").map(missingPackage),
    ...(await checkExtensions(await findInstalled(context.env), loaded.type === "loaded" ? loaded.config : undefined)),
  ];
  const isBad = findings.some(({ level }) => level !== "ok");
  if (json) printJson(context, { ok: !isBad, findings });
  else if (findings.length === 0)
    context.print(
      'No problems found: no configured channel needs an installed package. The channels of this build are checked by "factotum doctor".\n',
    );
  else
    for (const { level, message, fix } of findings)
      context.print(`${level === "ok" ? "ok" : "!"}  ${message}${fix === undefined ? "" : `\n   → ${fix}`}\n`);
  return isBad ? EXIT.failure : EXIT.ok;
}

function missingPackage(problem: ConfigProblem): Finding {
  return {
    check: "extensions",
    level: "warning",
    message: formatProblem(problem),
    fix: "factotum plugins add <folder, tarball or package>",
  };
}

/** Installs or replaces a package; resolves with its manifest. */
export async function installPlugin(
  context: CliContext,
  spec: string,
  options: { readonly yes: boolean; readonly replaces: boolean },
): Promise<ExtensionManifest> {
  const source = await sourceOf(context, { spec, found: await findInstalled(context.env), isUpdate: options.replaces });
  // An update asks only for what its permissions add. An installation always asks, so it fails before its packages are fetched.
  if (!options.replaces && !options.yes && context.confirm === undefined) throw cannotAsk();
  await using project = await StagedProject.create(context);
  const found = await findInstalled(context.env);
  const before = new Map(found.packages.map(({ name, manifest }) => [name, manifest]));
  const wasListed = new Set(project.names);
  const name = await project.add(source);
  const folder = project.packageFolder(name);
  const manifest = await usableManifest(folder, name);
  await checkSchemas(manifest, folder);
  if (wasListed.has(name) && !options.replaces) {
    throw new CliError("failure", `${name} is installed already.`, { fix: `Replace it with: factotum plugins update ${spec}` });
  }
  if (!wasListed.has(name) && options.replaces) {
    throw new CliError("failure", `${name} is not installed.`, { fix: `Install it with: factotum plugins add ${spec}` });
  }
  checkIds(manifest, found);
  const severe = await showSkillFindings(context, manifest, folder);
  await confirmPermissions(context, manifest, { before: options.replaces ? before.get(name) : undefined, yes: options.yes, severe });
  await project.activate();
  return manifest;
}

/** An update by the name of a package or of its channel reads its source again. */
async function sourceOf(
  { paths, knownExtensions: known }: CliContext,
  { spec, found, isUpdate }: { readonly spec: string; readonly found: FoundExtensions; readonly isUpdate: boolean },
): Promise<PackageSource> {
  const options = { known, folder: process.cwd() };
  const listed = isUpdate && !isKnown(spec, known) ? findListedOrNone(found, spec) : undefined;
  if (listed?.source === "deployment")
    throw new CliError("usage", `${listed.name} belongs to the deployment.`, {
      fix: "Update it with npm in the folder of the deployment.",
    });
  return (listed === undefined ? undefined : await installedSource(listed.name, paths)) ?? packageSource(spec, options);
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

async function confirmPermissions(
  context: CliContext,
  manifest: ExtensionManifest,
  {
    before,
    yes,
    severe,
  }: { readonly before: ExtensionManifest | undefined; readonly yes: boolean; readonly severe: readonly SkillFinding[] },
): Promise<void> {
  const { name, version, permissions, provides } = manifest;
  const added = permissions.filter((permission) => before?.permissions.includes(permission) !== true);
  const parts = provides.map(partOf);
  context.note(`${name} ${version} provides ${parts.map(describePart).join(", ")}.\n`);
  const grown = before === undefined ? [] : addedParts(before.provides, provides);
  if (before !== undefined && added.length === 0 && grown.length === 0 && severe.length === 0) return;
  if (manifest.unused !== undefined && manifest.unused.length > 0) context.note(`Not used: ${manifest.unused.join(", ")}.\n`);
  for (const line of serverLines(before === undefined ? parts : grown)) context.note(`${plainText(line)}\n`);
  if (grown.length > 0) context.note(`New since ${before?.version}: ${grown.map(describePart).join(", ")}.\n`);
  const list = added.length === 0 ? "no permissions" : added.join(", ");
  context.note(
    `It states that it needs ${before === undefined ? "" : "more than before: "}${list}. ${reachOf(manifest)}${publicReach(parts)}\n`,
  );
  if (yes && severe.length === 0) return;
  if (context.confirm === undefined) throw severe.length === 0 ? cannotAsk() : refusedBySeverity(name, severe);
  const question = severe.length === 0 ? `Install ${name} ${version}?` : `Install ${name} ${version} although findings are severe?`;
  if (!(await context.confirm(question))) throw new CliError("failure", "Nothing was installed.");
}

/** What each server runs or asks, and the variables that it gets. */
function serverLines(parts: readonly DescribedPart[]): readonly string[] {
  return parts.flatMap((part) =>
    part.type === "mcp" || part.type === "lsp" ? part.servers.map(({ name, runs }) => `  ${name}: ${runs}`) : [],
  );
}

/** What the code of a package can reach, said openly. */
function reachOf({ provides, permissions }: ExtensionManifest): string {
  if (isRunBy("gateway", provides)) return "It runs in the gateway's process and is not limited to that: install only what you trust.";
  if (isRunBy("server", provides))
    return "Its servers run as you, in the sandbox of the conversation that uses them if it has one: install only what you trust.";
  if (isRunBy("plugin", provides)) return pluginReach(permissions);
  return "It runs nothing by itself; its instructions are the owner's in the assistant's eyes: install only what you trust.";
}

function pluginReach(permissions: readonly string[]): string {
  const reads = permissions.includes("fs:workspace") ? "its package and the workspaces of all agents" : "its package";
  const runs = permissions.includes("exec") ? ", starts programs that bubblewrap holds" : "";
  return `It runs in a process of its own, which reads ${reads}, writes nothing${runs}, and gets network and secrets through the gateway alone. Where bubblewrap does not work, this is a fence against mistakes, and not against a plugin that means harm.`;
}

/** What a public route means, said openly. */
function publicReach(parts: readonly DescribedPart[]): string {
  const isReached = parts.some((part) => part.type === "routes" && part.routes.some(isPublicRoute));
  return isReached ? " Its public routes answer everyone who reaches the gateway, without a token." : "";
}

function cannotAsk(): CliError {
  return new CliError("usage", "Installing a package needs a confirmation, and no terminal is attached.", { fix: "Pass --yes to do it." });
}

/** `use`: when a running gateway uses it, if not at once. */
async function report(context: CliContext, manifest: ExtensionManifest, { json }: PluginOptions, use?: string): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  const configured = loaded.type === "loaded" ? Object.keys(loaded.config.channels) : [];
  const reloaded = await reloadGateway(context, { force: true });
  const { name, version, provides } = manifest;
  if (json) {
    printJson(context, rowOf(manifest, "installed"));
    return EXIT.ok;
  }
  context.print(`${name} ${version} is installed.\n`);
  for (const { id } of providedChannels(provides))
    if (!configured.includes(id)) context.print(`Set it up with: factotum channels add ${id}\n`);
  context.note(`${reloaded?.type === "kept" ? describeReload(reloaded) : (use ?? describeReload(reloaded))}\n`);
  return EXIT.ok;
}

function rowOf({ name, version, provides, permissions, unused = [] }: ExtensionManifest, source: string) {
  return { name, version, source, provides: provides.map(partOf), permissions, unused };
}

function findListedOrNone({ packages }: FoundExtensions, named: string): FoundExtensions["packages"][number] | undefined {
  const hasId = (provides: ExtensionManifest["provides"]): boolean =>
    [...providedChannels(provides), ...providedPlugins(provides)].some(({ id }) => id === named);
  return packages.find(({ name, manifest }) => name === named || hasId(manifest?.provides ?? []));
}

function findListed(found: FoundExtensions, named: string): FoundExtensions["packages"][number] {
  const { packages } = found;
  const listed = findListedOrNone(found, named);
  if (listed !== undefined) return listed;
  throw new CliError("usage", `"${named}" is not installed.`, {
    fix: `Installed: ${packages.map(({ name }) => name).join(", ") || "nothing"}.`,
  });
}

/** The configured accounts of channels, as `channels remove` takes them. */
async function configuredAccounts({ env }: CliContext, ids: readonly string[]): Promise<readonly string[]> {
  const loaded = await loadConfig(await configOptions(env));
  const channels: FactotumConfig["channels"] = loaded.type === "loaded" ? loaded.config.channels : {};
  return ids
    .filter((id) => Object.hasOwn(channels, id))
    .flatMap((id) => Object.keys(channels[id]?.accounts ?? {}).map((account) => (account === "default" ? id : `${id}:${account}`)));
}
