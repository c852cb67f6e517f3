import { loadConfig, type FactotumConfig } from "@factotum/config";
import { readBuiltInManifest } from "../extensions/built-in.ts";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { StagedProject } from "../extensions/npm-project.ts";
import { partOf, providedChannels, providedServers, type DescribedPart } from "../extensions/provided-types.ts";
import { providedPlugins } from "../extensions/run-by.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { CHANNELS, configOptions, findInstalled } from "./extensions.ts";
import { removeLogin } from "./mcp-logins.ts";

/** What installing needs of the process. */
export type PackageContext = Pick<CliContext, "env" | "paths" | "signal" | "knownExtensions" | "checkout">;

/** A package as lists show it. */
export interface ListedPackage {
  readonly name: string;
  readonly source: "built-in" | "installed" | "deployment";
  /** Absent for a package that cannot be read. */
  readonly described?: {
    readonly version: string;
    readonly provides: readonly DescribedPart[];
    readonly permissions: readonly string[];
    readonly unused: readonly string[];
  };
  /** Why it, or a part of it, is not used. */
  readonly problems: readonly string[];
  /** Ids by which `plugins` of the configuration switches it off. */
  readonly ids: readonly string[];
}

/** The built-in packages, then the installed ones. */
export async function listPackages(
  env: CliContext["env"],
): Promise<{ readonly packages: readonly ListedPackage[]; readonly found: FoundExtensions }> {
  const found = await findInstalled(env);
  const builtIn = await Promise.all(
    CHANNELS.map(async ({ id }): Promise<ListedPackage> => {
      const manifest = await readBuiltInManifest(id);
      return { name: manifest.name, source: "built-in", described: describePackage(manifest), problems: [], ids: [] };
    }),
  );
  const others = found.packages.map(({ name, source, manifest }): ListedPackage => ({
    name,
    source,
    ...(manifest === undefined ? {} : { described: describePackage(manifest) }),
    problems: found.problems.filter(({ packageName }) => packageName === name).map(({ message }) => message),
    ids: idsOf(name, manifest, found),
  }));
  return { packages: [...builtIn, ...others], found };
}

/** What a manifest says, without what only programs need. */
export function describePackage({
  version,
  provides,
  permissions,
  unused = [],
}: ExtensionManifest): NonNullable<ListedPackage["described"]> {
  return { version, provides: provides.map(partOf), permissions, unused };
}

/** Its plugins', and the one of all of its servers. */
function idsOf(name: string, manifest: ExtensionManifest | undefined, { servers }: FoundExtensions): readonly string[] {
  const ofServers = [...servers.mcp, ...servers.lsp].flatMap((one) => (one.packageName === name ? one.ids.slice(-1) : []));
  return [...new Set([...providedPlugins(manifest?.provides ?? []).map(({ id }) => id), ...ofServers])];
}

/** Removes an installed package, by its name or an id of it. Rejects with a `CliError` while one of its channels is configured, unless forced. */
export async function removePackage(
  context: PackageContext,
  named: string,
  { force }: { readonly force: boolean },
): Promise<{ readonly name: string; readonly provides: ExtensionManifest["provides"] }> {
  const { name, source, manifest } = findListed(await findInstalled(context.env), named);
  if (source === "deployment") {
    throw new CliError("usage", `${name} belongs to the deployment.`, {
      fix: "Remove it from factotum.extensions of the deployment's package.json.",
    });
  }
  const provides = manifest?.provides ?? [];
  const accounts = await configuredAccounts(
    context,
    providedChannels(provides).map(({ id }) => id),
  );
  if (accounts.length > 0 && !force) {
    throw new CliError("failure", `${name} is in use: ${accounts.join(", ")} ${accounts.length === 1 ? "is" : "are"} configured.`, {
      fix: `Remove that first: ${accounts.map((account) => `factotum channels remove ${account}`).join(" && ")}, or pass --force.`,
    });
  }
  await using project = await StagedProject.create(context);
  await project.remove(name);
  await project.activate();
  return { name, provides };
}

/** Logins at the servers of a removed package; those of the owner's entries of the same names stay. */
export async function forgetServers({ env, paths }: PackageContext, provides: ExtensionManifest["provides"]): Promise<void> {
  const loaded = await loadConfig(await configOptions(env));
  const kept = loaded.type === "loaded" ? loaded.config.mcp.servers : undefined;
  for (const { name } of providedServers(provides, "mcp"))
    if (kept !== undefined && !Object.hasOwn(kept, name)) await removeLogin(paths, name);
}

/** The listed package of a name, or with a channel or plugin of this id. */
export function findListedOrNone({ packages }: FoundExtensions, named: string): FoundExtensions["packages"][number] | undefined {
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
async function configuredAccounts({ env }: PackageContext, ids: readonly string[]): Promise<readonly string[]> {
  const loaded = await loadConfig(await configOptions(env));
  const channels: FactotumConfig["channels"] = loaded.type === "loaded" ? loaded.config.channels : {};
  return ids
    .filter((id) => Object.hasOwn(channels, id))
    .flatMap((id) => Object.keys(channels[id]?.accounts ?? {}).map((account) => (account === "default" ? id : `${id}:${account}`)));
}
