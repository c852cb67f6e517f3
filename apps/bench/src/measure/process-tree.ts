import { readdirSync, readFileSync } from "node:fs";

/** What a process and everything below it use now. */
export interface TreeUsage {
  readonly memoryMiB: number;
  /** CPU time since the start, of user and system, in milliseconds; to the tick, which is 10 ms. */
  readonly cpuMs: number;
}

const TICK_MS = 10;
const PAGE_BYTES = 4096;

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

function readProcess(name: string): readonly (TreeUsage & { readonly pid: number; readonly parent: number })[] {
  try {
    // The name of a program stands in brackets and may hold anything; what follows the last one is plain (proc_pid_stat(5), from field 3 on).
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
