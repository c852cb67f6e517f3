import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { StatePaths } from "@factotum/config";
import type { CopyOptions } from "@factotum/store";

/** The folders of plain files, including those of agents that are no longer configured. */
export function sessionFolders({ home }: Pick<StatePaths, "home">): Pick<CopyOptions, "folder" | "agents"> {
  const agents = join(home, "agents");
  return { folder: (agentId) => join(agents, agentId, "sessions"), agents: async () => foldersIn(agents) };
}

/** Names of the folders in a folder; empty if it does not exist. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder, { withFileTypes: true })).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
