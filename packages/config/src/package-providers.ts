import type { PluginsConfig } from "./schema/plugins.ts";
import type { ProviderConfig } from "./schema/models.ts";

/** A provider of models that an installed package brings. */
export interface PackageProvider {
  /** The first part of a model reference, and the id of its plugin. */
  readonly id: string;
  readonly settings: ProviderConfig;
}

/** The providers of a configuration with those of packages that are switched on: an entry of the owner's takes the place of one of a package. */
export function withPackageProviders(
  own: Readonly<Record<string, ProviderConfig>>,
  brought: readonly PackageProvider[],
  { entries, allow, deny }: PluginsConfig,
): Readonly<Record<string, ProviderConfig>> {
  const isUsed = (id: string): boolean =>
    !deny.includes(id) && allow?.includes(id) !== false && !(Object.hasOwn(entries, id) && entries[id]?.enabled === false);
  return { ...Object.fromEntries(brought.filter(({ id }) => isUsed(id)).map(({ id, settings }) => [id, settings])), ...own };
}
