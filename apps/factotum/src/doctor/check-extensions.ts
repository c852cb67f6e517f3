import type { FactotumConfig } from "@factotum/config";
import type { FoundExtensions } from "../extensions/found-extensions.ts";
import { loadChannelExtension } from "../extensions/load-channel.ts";
import { ok, type Finding } from "./finding.ts";

/** Installed packages that are not used, and those of configured channels that cannot be loaded. Imports only what the gateway imports, too. */
export async function checkExtensions({ problems, channels }: FoundExtensions, config?: FactotumConfig): Promise<readonly Finding[]> {
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
  return [...unused, ...loaded];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
