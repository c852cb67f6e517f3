import { randomBytes, randomUUID } from "node:crypto";
import path from "node:path";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { openSqliteStore } from "@factotum/store";
import type { SqliteStore } from "@factotum/store";

const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now(), schedule: () => ({ [Symbol.dispose]: () => undefined }) };
const random: Random = { bytes: (count) => randomBytes(count), uuid: () => randomUUID(), float: () => Math.random() };
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** Opens the store of a stopped product; the caller closes it. */
export async function openStoppedStore(home: string): Promise<SqliteStore> {
  const agentFolder = (agentId: string): string => path.join(home, "agents", agentId, "sessions");
  return openSqliteStore({
    folder: path.join(home, "state"),
    copies: { folder: agentFolder, cwd: () => home, agents: async () => [] },
    clock,
    random,
    logger: silent,
  });
}
