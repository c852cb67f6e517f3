import { formatProblem, loadConfig, setConfigValue } from "@factotum/config";
import type { OwnerControl } from "@factotum/gateway";
import type { CliContext } from "../runtime/cli-context.ts";
import type { ConfigReloader } from "./config-reloader.ts";
import { configOptions } from "./extensions.ts";

/** Writes the first owner into the configuration file, with its comments kept, and applies the change. */
export function createOwnerControl({ env }: Pick<CliContext, "env">, reloader: Pick<ConfigReloader, "reload">): OwnerControl {
  return {
    addFirstOwner: async (entry) => {
      const loaded = await loadConfig(await configOptions(env));
      if (loaded.type === "refused") return refusal(loaded.path, loaded.problems.map(formatProblem));
      // A change of the file that is not applied yet.
      if (loaded.config.commands.ownerAllowFrom.length > 0) return { type: "done", isOwner: false };
      const written = await setConfigValue("commands.ownerAllowFrom", [entry], await configOptions(env));
      if (written.type === "refused") return refusal(written.path, written.problems.map(formatProblem));
      const { type, problems } = await reloader.reload();
      return type === "kept" ? refusal(written.path, problems) : { type: "done", isOwner: true };
    },
  };
}

function refusal(path: string, problems: readonly string[]): Awaited<ReturnType<OwnerControl["addFirstOwner"]>> {
  return { type: "refused", message: `${path}: ${problems.join("; ")}. Repair it (factotum config validate), or approve with --guest.` };
}
