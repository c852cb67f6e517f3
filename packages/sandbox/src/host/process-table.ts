import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setImmediate as nextTick } from "node:timers/promises";
import { promisify } from "node:util";

/** One process that runs. */
export interface ProcessRow {
  readonly id: number;
  /** One letter, as `ps` shows it. */
  readonly state: string;
  readonly parentId: number;
  readonly groupId: number;
  /** Clock ticks since the machine started. With the boot it tells apart two processes that had the same id. 0 outside of Linux. */
  readonly startTicks: number;
  /** Its memory, where the table says it: outside of Linux. */
  readonly residentBytes?: number;
}

/** Files of `/proc` that are read at a time. */
export const PROC_BATCH = 64;

/** Every process that runs. Zombies, which stay when nobody reaps orphans (a container's PID 1), do not run. */
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

/** The same from the program that every other system has. */
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

/** Which of the processes were started with `NAME=value` in their environment. Those of another user cannot be asked. Linux only. */
export async function withVariable(rows: readonly ProcessRow[], name: string, value: string): Promise<readonly ProcessRow[]> {
  const wanted = `${name}=${value}`;
  const found = await inBatches(rows, async (row) => {
    const environment = await readEnvironment(row.id);
    return environment?.split("\0").includes(wanted) ? row : undefined;
  });
  return found.filter((row) => row !== undefined);
}

/**
 * When the process was started: together with its id a name that no other process ever has. `undefined` when it does not run. On Linux the boot
 * is a part of it; elsewhere `ps` tells the time of day.
 */
export async function startOf(processId: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const row = parseStat(readStat(String(processId)));
    // One that has ended and was not asked for its exit code yet has its name still.
    return row === undefined ? undefined : linuxStart(row, await bootId());
  }
  const options = { env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } };
  // `ps` ends with an error when there is no such process.
  const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(processId)], options).catch(() => ({ stdout: "" }));
  return stdout.trim() === "" ? undefined : stdout.trim();
}

/** What `startOf` says of a row of this boot. */
export function linuxStart(row: ProcessRow, boot: string): string {
  return `${boot} ${row.startTicks}`;
}

/** A name of the machine's running since it was switched on. Linux only. */
export async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

async function inBatches<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += PROC_BATCH)
    results.push(...(await Promise.all(items.slice(from, from + PROC_BATCH).map(work))));
  return results;
}

/** At once: the kernel answers from memory and waits for nobody, and a way over other threads costs ten times as much, for every process of the machine. */
function readStat(id: string): string | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, "utf8");
  } catch (error) {
    return undefinedIfGone(error);
  }
}

/** The environment of a process lies in its own memory, which may be slow to come: nothing waits for it but who asks. */
async function readEnvironment(id: number): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${id}/environ`, "latin1");
  } catch (error) {
    return undefinedIfGone(error);
  }
}

/** `undefined` for a process that has ended meanwhile or may not be looked at. */
function undefinedIfGone(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ENOENT" && code !== "ESRCH" && code !== "EACCES" && code !== "EPERM") throw error;
}

/** `pid (name) state ppid pgrp … starttime …`; the name may hold anything, parentheses and spaces too. */
function parseStat(line: string | undefined): ProcessRow | undefined {
  if (line === undefined) return undefined;
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state = "", parentId, groupId] = fields;
  return { id: Number.parseInt(line, 10), state, parentId: Number(parentId), groupId: Number(groupId), startTicks: Number(fields[19]) };
}
