import type { PackageProvider } from "@factotum/config";
import type { FoundPlugin } from "./found-extensions.ts";

/** No name below `invalid` has an address (RFC 6761): what is sent to these reaches a plugin, and nothing on the network. */
const DOMAIN = ".plugin.invalid";

/** The providers of models that plugins bring, each under the id of its plugin. */
export function pluginProviders(plugins: readonly Pick<FoundPlugin, "id" | "models">[]): readonly PackageProvider[] {
  return plugins.flatMap(({ id, models }) => {
    if (models.length === 0) return [];
    return [{ id, settings: { api: "openai-chat", baseUrl: `http://${id}${DOMAIN}/v1`, credentials: {}, models, timeouts: {} } }];
  });
}

/** The plugin that answers at an address; `undefined` for every other one. */
export function pluginAt(url: string): string | undefined {
  const host = URL.parse(url)?.hostname ?? "";
  return host.endsWith(DOMAIN) ? host.slice(0, -DOMAIN.length) : undefined;
}
