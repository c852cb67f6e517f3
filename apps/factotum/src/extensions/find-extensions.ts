import { dirname } from "node:path";
import type { StatePaths } from "@factotum/config";
import { assetPath } from "../runtime/assets.ts";
import { currentProject, deploymentOf } from "./project-folders.ts";
import type { FoundExtensions } from "./found-extensions.ts";

/** Options of `findExtensions`. */
export interface FindOptions {
  /** Names of the packages of the built-in channels, by the channel's id. */
  readonly builtIn: ReadonlyMap<string, string>;
  /** Defaults to the project that this command is installed in. */
  readonly deployment?: string;
}

/**
 * Finds the listed extensions of a state directory, then those of the deployment, without running their code. An id belongs to the first package that provides
 * it, and to a built-in channel before any. Without lists it reads no more than the absence of two files.
 */
export async function findExtensions(paths: Pick<StatePaths, "home">, options: FindOptions): Promise<FoundExtensions> {
  const { builtIn, deployment = deploymentOf(dirname(assetPath("package.json"))) } = options;
  const installed = await currentProject(paths);
  if (installed === undefined && deployment === undefined)
    return { channels: [], skills: [], commandFolders: [], plugins: [], servers: { mcp: [], lsp: [] }, problems: [], packages: [] };
  const { ExtensionCollector } = await import("./extension-collector.ts");
  const found = new ExtensionCollector(builtIn);
  if (installed !== undefined) await found.add(installed, "installed");
  if (deployment !== undefined) await found.add(deployment, "deployment");
  return found.result();
}
