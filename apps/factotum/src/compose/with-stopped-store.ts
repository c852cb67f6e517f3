import type { StatePaths } from "@factotum/config";
import { openSqliteStore, type SqliteStore } from "@factotum/store";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { sessionFolders } from "./session-folders.ts";

/** A gateway that does not run, and whose state directory the caller holds. */
export interface StoppedGateway {
  readonly paths: StatePaths;
  /** The agents with their workspaces, absolute. An agent that is not listed counts as one with the default workspace. */
  readonly agents: readonly { readonly id: string; readonly workspace: string }[];
}

/** Uses the store of a stopped gateway, and closes it. Opening it repairs what the next start would repair. */
export async function withStoppedStore<Result>(
  { paths, agents }: StoppedGateway,
  use: (store: SqliteStore) => Promise<Result>,
): Promise<Result> {
  const store = await openSqliteStore({
    folder: paths.stateFolder,
    copies: { ...sessionFolders(paths), cwd: (agentId) => agents.find(({ id }) => id === agentId)?.workspace ?? paths.workspace },
    clock: systemClock,
    random: systemRandom,
    logger: QUIET_LOGGER,
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
