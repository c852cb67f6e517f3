import type { LspServerConfig } from "./schema/lsp.ts";
import type { McpServerConfig } from "./schema/mcp-servers.ts";
import type { PluginsConfig } from "./schema/plugins.ts";
import type { ConfigProblem } from "./validate/problem.ts";

/** A server that an installed package brings. */
export interface PackageServer<Settings> {
  /** In `mcp.servers` or `lsp.servers`. */
  readonly name: string;
  readonly packageName: string;
  /** Names by which `plugins` switches it off. */
  readonly ids: readonly string[];
  readonly settings: Settings;
}

/** The servers that installed packages bring, each name once. */
export interface PackageServers {
  readonly mcp: readonly PackageServer<McpServerConfig>[];
  readonly lsp: readonly PackageServer<LspServerConfig>[];
}

/** The servers of a configuration with those of packages after them: an entry of the owner's takes the place of one of a package. */
export function withPackageServers<Settings extends McpServerConfig | LspServerConfig>(
  own: Readonly<Record<string, Settings>>,
  brought: readonly PackageServer<Settings>[],
  plugins: PluginsConfig,
): Readonly<Record<string, Settings>> {
  const added = brought
    .filter(({ name }) => !Object.hasOwn(own, name))
    .map(({ name, ids, settings }): [string, Settings] => [name, { ...settings, enabled: settings.enabled && isUsed(ids, plugins) }]);
  return { ...own, ...Object.fromEntries(added) };
}

function isUsed(ids: readonly string[], { entries, allow, deny }: PluginsConfig): boolean {
  const isOff = ids.some((id) => deny.includes(id) || (Object.hasOwn(entries, id) && entries[id]?.enabled === false));
  return !isOff && (allow === undefined || ids.some((id) => allow.includes(id)));
}

/** A line for each server of a package whose name is the owner's. */
export function replacedServers(
  sections: { readonly mcp: { readonly servers: object }; readonly lsp: { readonly servers: object } },
  packages: PackageServers,
): readonly ConfigProblem[] {
  return (["mcp", "lsp"] as const).flatMap((kind) =>
    packages[kind].flatMap(({ name, packageName }): readonly ConfigProblem[] => {
      if (!Object.hasOwn(sections[kind].servers, name)) return [];
      const message = `this entry takes the place of the server of ${packageName}; rename it to have both`;
      return [{ type: "extension", path: `${kind}.servers.${name}`, message }];
    }),
  );
}
