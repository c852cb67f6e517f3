import { join } from "node:path";
import { loadConfig, setConfigValue, valueAt, type Environment, type LoadedConfig, type StatePaths } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { isSafePath, type BackupManifest } from "./manifest.ts";
import { pathIn } from "./plan-backup.ts";

/** A workspace that is restored to another path than the one in the backup's configuration. */
export interface MovedWorkspace {
  readonly agent: string;
  readonly from: string;
  /** Absolute, in the state directory. */
  readonly to: string;
  /** True if the restored configuration has the new path. */
  readonly isConfigured: boolean;
}

/** Where a backup is unpacked, and its final path. */
export interface MoveOptions {
  readonly staging: string;
  /** The paths of the restored state directory. */
  readonly paths: StatePaths;
  readonly env: Environment;
}

/** Changes the paths of restored workspaces in the unpacked configuration if they are those of another machine or of another state directory. */
export async function moveWorkspaces(
  { workspaces }: BackupManifest,
  { staging, paths, env }: MoveOptions,
): Promise<readonly MovedWorkspace[]> {
  const unpacked = { ...env, FACTOTUM_HOME: staging, FACTOTUM_CONFIG: undefined };
  const loaded = await loadConfig(await configOptions(unpacked));
  const moved: MovedWorkspace[] = [];
  for (const { agent, path, from } of workspaces.filter((one) => isSafePath(one.path))) {
    const to = join(paths.home, path);
    if (loaded.type === "refused") {
      if (from !== to) moved.push({ agent, from, to, isConfigured: false });
      continue;
    }
    const named = loaded.config.agents.find(({ id }) => id === agent)?.workspace;
    if (named === undefined) continue;
    const inside = pathIn(staging, named);
    if ((inside === undefined ? named : join(paths.home, inside)) === to) continue;
    const result = await setConfigValue(keyOf(loaded, agent), path, await configOptions(unpacked));
    moved.push({ agent, from, to, isConfigured: result.type !== "refused" });
  }
  return moved;
}

/** The key that sets an agent's workspace. */
function keyOf({ written }: LoadedConfig, agent: string): string {
  const list = valueAt(written, ["agents", "list"]);
  const index = Array.isArray(list) ? list.findIndex((entry: { readonly id?: unknown }) => entry.id === agent) : -1;
  return index === -1 ? "agents.defaults.workspace" : `agents.list[${index}].workspace`;
}
