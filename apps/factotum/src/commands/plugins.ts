import { formatProblem, loadConfig, type ConfigProblem } from "@factotum/config";
import type { SkillFinding } from "@factotum/skills";
import { configOptions, findInstalled } from "../compose/extensions.ts";
import { describePackage, forgetServers, listPackages, removePackage } from "../compose/installed-packages.ts";
import { reachOf, stagePackage } from "../compose/stage-package.ts";
import { switchPackage } from "../compose/switch-plugins.ts";
import { checkExtensions } from "../doctor/check-extensions.ts";
import type { Finding } from "../doctor/finding.ts";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { isPublicRoute } from "../extensions/provided-routes.ts";
import { addedParts, describePart, partOf, providedChannels, type DescribedPart } from "../extensions/provided-types.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { plainText, terminalText } from "../runtime/foreign-text.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { renderTable } from "../runtime/render-table.ts";
import { describeFinding, refusedBySeverity } from "./skill-findings.ts";

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
  const { name, provides } = await removePackage(context, named, options);
  const reloaded = await reloadGateway(context, { force: true });
  await forgetServers(context, provides);
  if (options.json) printJson(context, { removed: name });
  else {
    context.print(`${name} is removed.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Uses the plugins and servers of a package, or uses them no longer. */
export async function pluginsSwitch(
  context: CliContext,
  name: string,
  options: { readonly isOn: boolean; readonly json: boolean },
): Promise<number> {
  await switchPackage(context, name, options.isOn);
  const reloaded = await reloadGateway(context, { force: true });
  if (options.json) printJson(context, { name, enabled: options.isOn });
  else {
    context.print(`${name} is ${options.isOn ? "on" : "off"}.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Lists the built-in and the installed packages. */
export async function pluginsList(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const { packages, found } = await listPackages(context.env);
  if (json) {
    const plugins = packages.map(({ name, source, described, problems }) => {
      if (described === undefined) return { name, source, problems };
      const row = { name, version: described.version, source, provides: described.provides };
      const facts = { ...row, permissions: described.permissions, unused: described.unused };
      return source === "built-in" ? facts : { ...facts, problems };
    });
    printJson(context, { plugins });
    return EXIT.ok;
  }
  const rows = packages.map(({ name, source, described }) => [
    name,
    described?.version ?? "",
    source,
    described === undefined
      ? ""
      : [...described.provides.map(describePart), ...described.unused.map((part) => `not used: ${part}`)].join(", "),
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
  // An update asks only for what its permissions add. An installation always asks, so it fails before its packages are fetched.
  if (!options.replaces && !options.yes && context.confirm === undefined) throw cannotAsk();
  await using staged = await stagePackage(context, spec, { replaces: options.replaces, folder: process.cwd() });
  const { manifest, before, findings } = staged;
  for (const finding of findings) context.note(terminalText(`${describeFinding(finding)}\n`));
  const severe = findings.filter(({ severity }) => severity === "severe");
  await confirmPermissions(context, manifest, { before, yes: options.yes, severe });
  await staged.activate();
  return manifest;
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
    `It states that it needs ${before === undefined ? "" : "more than before: "}${list}. ${describeReach(manifest)}${publicReach(parts)}\n`,
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
function describeReach(manifest: ExtensionManifest): string {
  const reach = reachOf(manifest);
  if (reach === "gateway") return "It runs in the gateway's process and is not limited to that: install only what you trust.";
  if (reach === "server")
    return "Its servers run as you, in the sandbox of the conversation that uses them if it has one: install only what you trust.";
  if (reach === "plugin") return pluginReach(manifest.permissions);
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
    const described = describePackage(manifest);
    printJson(context, {
      name,
      version,
      source: "installed",
      provides: described.provides,
      permissions: described.permissions,
      unused: described.unused,
    });
    return EXIT.ok;
  }
  context.print(`${name} ${version} is installed.\n`);
  for (const { id } of providedChannels(provides))
    if (!configured.includes(id)) context.print(`Set it up with: factotum channels add ${id}\n`);
  context.note(`${reloaded?.type === "kept" ? describeReload(reloaded) : (use ?? describeReload(reloaded))}\n`);
  return EXIT.ok;
}
