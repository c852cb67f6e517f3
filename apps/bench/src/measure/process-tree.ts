import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Resources that a process and its descendants use. */
export interface TreeUsage {
  readonly memoryMiB: number;
  /** CPU time since the start, user and system, in milliseconds; with a resolution of one tick, 10 ms. */
  readonly cpuMs: number;
}

const TICK_MS = 10;
const PAGE_BYTES = 4096;
const STEADY_MS = 12_000;
const SAMPLE_MS = 500;

/** Reads the usage of a process tree from `/proc`; Linux only. */
export function readTreeUsage(root: number): TreeUsage {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const usage = { memoryMiB: 0, cpuMs: 0 };
  const waiting = processes.filter(({ pid }) => pid === root);
  if (waiting.length === 0) throw new Error(`The process ${root} is not there any more.`);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    usage.memoryMiB += next.memoryMiB;
    usage.cpuMs += next.cpuMs;
    waiting.push(...(children.get(next.pid) ?? []));
  }
  return usage;
}

/**
 * The memory of an idle process tree, in MiB: the value once it has not decreased for a while. V8 returns the pages of a finished load after some seconds,
 * later on a busy machine.
 */
export async function readRestingMemory(root: number): Promise<number> {
  let least = readTreeUsage(root).memoryMiB;
  for (let steadyMs = 0; steadyMs < STEADY_MS; steadyMs += SAMPLE_MS) {
    await delay(SAMPLE_MS);
    const { memoryMiB } = readTreeUsage(root);
    // A difference of one page does not count.
    if (memoryMiB < least - 1) steadyMs = 0;
    least = Math.min(least, memoryMiB);
  }
  return readTreeUsage(root).memoryMiB;
}

function readProcess(name: string): readonly (TreeUsage & { readonly pid: number; readonly parent: number })[] {
  try {
    // The program name is in parentheses and may contain anything; the fields after the last one are plain (proc_pid_stat(5), from field 3 on).
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const field = (number: number): number => Number(fields[number - 3]);
    return [
      { pid: Number(name), parent: field(4), cpuMs: (field(14) + field(15)) * TICK_MS, memoryMiB: (field(24) * PAGE_BYTES) / 1024 ** 2 },
    ];
  } catch (error) {
    // It ended while the folder was read.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
