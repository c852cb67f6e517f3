import { rm } from "node:fs/promises";
import type { Logger } from "@factotum/agent-contract";
import type { StatePaths } from "@factotum/config";
import { lockExtensions } from "./lock-extensions.ts";
import { earlierProjects } from "./project-folders.ts";

/**
 * Finds the projects that changes under an earlier gateway have left, and resolves with what removes them. Called by a gateway that holds the state directory
 * and has loaded no extension: later, an earlier project may be the one that it began with. While a command changes the extensions, they stay.
 */
export async function findEarlierProjects(paths: Pick<StatePaths, "home" | "stateFolder">, logger: Logger): Promise<() => Promise<void>> {
  const failed = (error: unknown): void => logger.warn("The folders of earlier extensions stay until the next start", { error });
  let folders: readonly string[] = [];
  try {
    using _lock = await lockExtensions(paths);
    folders = await earlierProjects(paths);
  } catch (error) {
    failed(error);
  }
  return async () => {
    try {
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      failed(error);
    }
  };
}
