import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Logger } from "@factotum/agent-contract";
import type { CommandLimits } from "../limits/command-limits.ts";

/** The gateway's own cgroup: a cgroup that contains processes cannot delegate controllers. */
const GATEWAY_LEAF = "factotum-gateway";
const COMMANDS = "factotum-commands-";
/** The kernel counts threads, and one process easily has twenty. Processes are counted separately; this stops a flood between two measurements. */
const TASKS_PER_PROCESS = 8;

/** The cgroup file system and the required controllers. Tests replace the folder. */
export interface CgroupPlace {
  /** The cgroup of the gateway; found in `/proc` by default. */
  readonly folder?: string;
  /** Default: `pids` and `memory`. */
  readonly controllers?: readonly string[];
}

/** The cgroups (version 2) of commands: one with the limits, and in it one for each running command. */
export interface CommandCgroups {
  /** Creates the cgroup of a command with the current limits; a process enters it by writing to its `cgroup.procs`. Rejects if that is impossible. */
  create(id: string, limits: CommandLimits): Promise<CommandCgroup>;
  /** Removes empty cgroups. */
  close(): Promise<void>;
}

/** The cgroup of one command. */
export interface CommandCgroup {
  readonly folder: string;
  /** Ids of the processes in it, wherever they were moved below it. */
  members(): Promise<readonly number[]>;
  /** True if the kernel killed the command because all commands together used too much memory. */
  wasOutOfMemory(): Promise<boolean>;
  /** Removes it once it is empty. Never rejects. */
  remove(): Promise<void>;
}

/** Prepares cgroups for commands; `undefined` if this process may not: no cgroup v2, not writable, shared with other processes, not Linux. */
export async function openCommandCgroups(logger: Pick<Logger, "warn">, place: CgroupPlace = {}): Promise<CommandCgroups | undefined> {
  if (process.platform !== "linux") return undefined;
  const controllers = place.controllers ?? ["pids", "memory"];
  try {
    const own = place.folder ?? (await ownCgroup());
    if (own === undefined) return undefined;
    const base = basename(own) === GATEWAY_LEAF ? dirname(own) : own;
    if (!(await handOn(base, controllers))) return undefined;
    await removeEmpty(base);
    return cgroupsIn(join(base, `${COMMANDS}${process.pid}`), controllers);
  } catch (error) {
    // Most systems grant no rights here. Any other failure is logged.
    if (!["EACCES", "EPERM", "EROFS", "ENOENT"].includes(codeOf(error))) logger.warn("Cgroups cannot be used for commands", { error });
    return undefined;
  }
}

function cgroupsIn(commands: string, controllers: readonly string[]): CommandCgroups {
  return {
    async create(id, limits) {
      // Every time: it may have been removed while no command ran.
      await mkdir(commands, { recursive: true });
      await enable(commands, controllers);
      if (controllers.includes("pids")) await writeFile(join(commands, "pids.max"), String(limits.maxProcesses * TASKS_PER_PROCESS));
      if (controllers.includes("memory")) await limitMemory(commands, limits.maxMemoryBytes);
      const folder = join(commands, id);
      await mkdir(folder);
      // The kernel kills the whole command, not a single process of its choice.
      if (controllers.includes("memory")) await writeFile(join(folder, "memory.oom.group"), "1");
      return commandCgroup(folder);
    },
    close: () => removeTree(commands),
  };
}

async function limitMemory(folder: string, bytes: number): Promise<void> {
  await writeFile(join(folder, "memory.max"), String(bytes));
  // Absent if the kernel does not account swap.
  await writeFile(join(folder, "memory.swap.max"), "0", { flag: "r+" }).catch(() => undefined);
}

function commandCgroup(folder: string): CommandCgroup {
  return {
    folder,
    async members() {
      return (await readFile(join(folder, "cgroup.procs"), "utf8").catch(() => "")).split("\n").filter(Boolean).map(Number);
    },
    async wasOutOfMemory() {
      const events = await readFile(join(folder, "memory.events"), "utf8").catch(() => "");
      return /^oom_kill [1-9]/m.test(events);
    },
    remove: () => removeTree(folder),
  };
}

/** Lets the cgroup delegate its controllers to its children. False if that would require moving other processes. */
async function handOn(base: string, controllers: readonly string[]): Promise<boolean> {
  const words = async (name: string): Promise<readonly string[]> => (await readFile(join(base, name), "utf8")).split(/\s+/).filter(Boolean);
  const available = await words("cgroup.controllers");
  if (!controllers.every((controller) => available.includes(controller))) return false;
  const enabled = await words("cgroup.subtree_control");
  if (controllers.every((controller) => enabled.includes(controller))) return true;
  const members = await words("cgroup.procs");
  if (members.some((id) => Number(id) !== process.pid)) return false;
  const leaf = join(base, GATEWAY_LEAF);
  await mkdir(leaf, { recursive: true });
  await writeFile(join(leaf, "cgroup.procs"), String(process.pid));
  try {
    await enable(base, controllers);
    return true;
  } catch (error) {
    await writeFile(join(base, "cgroup.procs"), String(process.pid));
    await rmdir(leaf);
    throw error;
  }
}

async function enable(folder: string, controllers: readonly string[]): Promise<void> {
  if (controllers.length > 0) await writeFile(join(folder, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));
}

/** The folder of this process's cgroup, if it is in the mounted tree of version 2. */
async function ownCgroup(): Promise<string | undefined> {
  const path = /^0::(.+)$/m.exec(await readFile("/proc/self/cgroup", "utf8"))?.[1];
  const mount = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").find((line) => line.includes(" - cgroup2 "));
  const [, , , root = "/", point] = mount?.split(" ") ?? [];
  if (path === undefined || point === undefined) return undefined;
  const below = root === "/" ? path : path.startsWith(root) ? path.slice(root.length) : undefined;
  return below === undefined ? undefined : join(point, below);
}

/** Removes empty cgroups of earlier gateways. */
async function removeEmpty(base: string): Promise<void> {
  for (const name of await readdir(base)) if (name.startsWith(COMMANDS)) await removeTree(join(base, name));
}

/** Removes a cgroup and its children, unless processes run in them. */
async function removeTree(folder: string): Promise<void> {
  const inside = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of inside) if (entry.isDirectory()) await rmdir(join(folder, entry.name)).catch(() => undefined);
  await rmdir(folder).catch(() => undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
