import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setImmediate as nextTick } from "node:timers/promises";
import { promisify } from "node:util";

/** One running process. */
export interface ProcessRow {
  readonly id: number;
  /** One letter, as in `ps`. */
  readonly state: string;
  readonly parentId: number;
  readonly groupId: number;
  /** Clock ticks since boot. Together with the boot id it distinguishes processes with the same number. 0 outside of Linux. */
  readonly startTicks: number;
  /** Its memory, if the table has it: outside of Linux. */
  readonly residentBytes?: number;
}

/** Files of `/proc` read at a time. */
export const PROC_BATCH = 64;

/** All running processes. Zombies, which stay if orphans are not reaped (a container's PID 1), do not count. */
export async function listProcesses(): Promise<readonly ProcessRow[]> {
  const rows = process.platform === "linux" ? await readProcFolder() : await askPs();
  return rows.filter(({ state }) => state !== "Z" && state !== "X");
}

async function readProcFolder(): Promise<readonly ProcessRow[]> {
  const ids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const rows: (ProcessRow | undefined)[] = [];
  for (let from = 0; from < ids.length; from += PROC_BATCH) {
    if (from > 0) await nextTick();
    for (const id of ids.slice(from, from + PROC_BATCH)) rows.push(parseStat(readStat(id)));
  }
  return rows.filter((row) => row !== undefined);
}

/** The same from `ps`, for other systems. */
export async function askPs(): Promise<readonly ProcessRow[]> {
  const options = { env: { PATH: "/usr/bin:/bin", LC_ALL: "C" }, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,pgid=,rss=,stat="], options);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [id, parentId, groupId, kilobytes, state = ""] = line.trim().split(/\s+/);
      const numbers = { id: Number(id), parentId: Number(parentId), groupId: Number(groupId), residentBytes: Number(kilobytes) * 1024 };
      return { ...numbers, state: state.slice(0, 1), startTicks: 0 };
    });
}

/** Which of the processes were started with `NAME=value` in their environment. Those of other users are unreadable. Linux only. */
export async function withVariable(rows: readonly ProcessRow[], name: string, value: string): Promise<readonly ProcessRow[]> {
  const wanted = `${name}=${value}`;
  const found = await inBatches(rows, async (row) => {
    const environment = await readEnvironment(row.id);
    return environment?.split("\0").includes(wanted) ? row : undefined;
  });
  return found.filter((row) => row !== undefined);
}

/**
 * When the process was started: unique together with its id. `undefined` if it does not run. On Linux it includes the boot id; elsewhere it is the time of day
 * from `ps`.
 */
export async function startOf(processId: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const row = parseStat(readStat(String(processId)));
    // An ended process keeps its name until its exit code is collected.
    return row === undefined ? undefined : linuxStart(row, await bootId());
  }
  const options = { env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
  // `ps` fails if the process does not exist.
  const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(processId)], options).catch(() => ({ stdout: "" }));
  return stdout.trim() === "" ? undefined : stdout.trim();
}

/** The value of `startOf` for a row of this boot. */
export function linuxStart(row: ProcessRow, boot: string): string {
  return `${boot} ${row.startTicks}`;
}

/** The boot id of the machine. Linux only. */
export async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

async function inBatches<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += PROC_BATCH)
    results.push(...(await Promise.all(items.slice(from, from + PROC_BATCH).map(work))));
  return results;
}

/** Synchronous: the kernel answers from memory, and going through the thread pool costs ten times as much, for every process of the machine. */
function readStat(id: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, "utf8");
  } catch (error) {
    return undefinedIfGone(error);
  }
}

/** Asynchronous: the environment is in the process's own memory, which may be slow to read. */
async function readEnvironment(id: number): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${id}/environ`, "latin1");
  } catch (error) {
    return undefinedIfGone(error);
  }
}

/** `undefined` for a process that has ended meanwhile or is unreadable. */
function undefinedIfGone(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ENOENT" && code !== "ESRCH" && code !== "EACCES" && code !== "EPERM") throw error;
}

/** `pid (name) state ppid pgrp … starttime …`; the name may contain anything, including parentheses and spaces. */
function parseStat(line: string | undefined): ProcessRow | undefined {
  if (line === undefined) return undefined;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state = "", parentId, groupId] = fields;
  return { id: Number.parseInt(line, 10), state, parentId: Number(parentId), groupId: Number(groupId), startTicks: Number(fields[19]) };
}
