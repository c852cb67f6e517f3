import type { FactotumConfig } from "@factotum/config";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { loadChannelExtension } from "../extensions/load-channel.ts";
import { usablePlugins } from "../extensions/usable-plugins.ts";
import { ok, type Finding } from "./finding.ts";

/** Installed packages that are not used, and those of configured channels that cannot be loaded. Imports only what the gateway imports, too. */
export async function checkExtensions(
  { problems, channels, plugins, servers }: FoundExtensions,
  config?: FactotumConfig,
): Promise<readonly Finding[]> {
  const unused = problems.map(({ message }): Finding => ({ check: "extension", level: "warning", message: sentence(message) }));
  const configured = channels.filter(({ id }) => Object.values(config?.channels[id]?.accounts ?? {}).some(({ enabled }) => enabled));
  const loaded = await Promise.all(
    configured.map(async (channel): Promise<Finding> => {
      const { id, packageName, version } = channel;
      try {
        await loadChannelExtension(channel);
        return ok("extension", `${packageName} ${version} provides ${id}`);
      } catch (error) {
        return {
          check: "extension",
          level: "error",
          message: sentence(error instanceof Error ? error.message : String(error)),
          fix: `Update it: factotum plugins update ${packageName}, or remove the channel: factotum channels remove ${id}`,
        };
      }
    }),
  );
  return [...unused, ...loaded, ...(config === undefined ? [] : await checkPlugins({ plugins, servers }, config))];
}

/** Plugins by their manifests and settings; a running gateway knows which have failed. */
async function checkPlugins(found: Pick<FoundExtensions, "plugins" | "servers">, config: FactotumConfig): Promise<readonly Finding[]> {
  const { plugins, problems } = await usablePlugins(found, config);
  return [
    ...plugins.map(({ id, packageName, version, trusted }) =>
      ok(
        "plugin",
        `${packageName} ${version} provides the plugin ${id}, ${trusted ? "in the gateway's process" : "in a process of its own"}`,
      ),
    ),
    ...problems.map(({ path, message }): Finding => ({
      check: "plugin",
      level: "warning",
      message: sentence(message),
      fix: `See ${path}`,
    })),
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
