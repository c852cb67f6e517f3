import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { describeCommandPolicy, formatProblem, isFatal, loadConfig } from "@factotum/config";
import type { DamageEvent } from "@factotum/protocol";
import { findPendingRecovery, readDamageEvents, type PendingRecovery } from "@factotum/store";
import { configOptions } from "../compose/extensions.ts";
import { sessionFolders } from "../compose/session-folders.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { describeFullDisk, FREE_SPACE } from "../runtime/full-disk.ts";
import { describeCommands, describeDamage } from "./status-lines.ts";

/** What the disk says while no gateway runs. */
interface DiskFacts {
  readonly damage: readonly DamageEvent[];
  readonly home: string;
  readonly config: { readonly path: string; readonly state: "valid" | "missing" | "bad"; readonly problems: readonly string[] };
  /** Of the configuration that a start would use; empty if a start would be refused. */
  readonly commandPolicy: readonly string[];
  readonly databaseBytes: number;
  /** Why a start would fail on a full disk. */
  readonly fullDisk?: string;
  /** How the next start will handle a lost database. */
  readonly recovery?: PendingRecovery;
  readonly sessionFiles: number;
}

/** Reads the state on disk; never opens the database, which belongs to the gateway. */
export async function readDisk({ env, paths }: CliContext): Promise<DiskFacts> {
  const loaded = await loadConfig(await configOptions(env));
  const isMissing = loaded.problems.some(({ type }) => type === "missing") || (loaded.type === "loaded" && loaded.source === "defaults");
  const recovery = await findPendingRecovery(paths.stateFolder, sessionFolders(paths));
  return {
    home: paths.home,
    config: {
      path: loaded.path,
      state: isMissing ? "missing" : loaded.problems.some(isFatal) ? "bad" : "valid",
      problems: loaded.problems.map(formatProblem),
    },
    commandPolicy: loaded.type === "loaded" ? describeCommandPolicy(loaded.config) : [],
    databaseBytes: await sizeOf(join(paths.stateFolder, "factotum.sqlite")),
    ...withoutUndefined({ recovery, fullDisk: await describeFullDisk(paths.home) }),
    sessionFiles: await countSessionFiles(join(paths.home, "agents")),
    damage: readDamageEvents(paths.stateFolder),
  };
}

/** The state on disk as text. */
export function describeDisk({
  home,
  config,
  commandPolicy,
  databaseBytes,
  fullDisk,
  recovery,
  sessionFiles,
  damage,
}: DiskFacts): string[] {
  return [
    'gateway    not running; start it with "factotum gateway start"',
    `state      ${home} (database ${(databaseBytes / 1e6).toFixed(1)} MB, ${sessionFiles} conversation files)`,
    `config     ${config.path} (${config.state === "missing" ? `not there${config.problems.length === 0 ? '; "factotum setup" makes it' : ""}` : config.state})`,
    ...config.problems.map((problem) => `           ! ${problem}`),
    ...describeCommands(commandPolicy),
    ...(fullDisk === undefined ? [] : [`storage    ! ${fullDisk}`, `           ${FREE_SPACE}`]),
    ...(recovery === undefined ? [] : [`database   ! ${recovery.text}`, `           ${recovery.fix}`]),
    ...describeDamage(damage),
  ];
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

async function countSessionFiles(agents: string): Promise<number> {
  let count = 0;
  for (const agent of await namesIn(agents)) {
    count += (await namesIn(join(agents, agent, "sessions"))).filter((name) => name.endsWith(".jsonl")).length;
  }
  return count;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
