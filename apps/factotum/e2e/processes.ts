import { readdir, readFile } from "node:fs/promises";

/** The running processes below one, children of children included. */
export async function processesBelow(processId: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const id of await allProcesses()) {
    // The name of the program is in brackets, and may have some itself.
    const [, parent] = /^.*\) \S (\d+) /.exec(await readFile(`/proc/${id}/stat`, "utf8").catch(() => "")) ?? [];
    if (parent !== undefined) parents.set(id, Number(parent));
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && (parent === processId || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

async function allProcesses(): Promise<readonly number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** All processes of this PID namespace that run. */
export async function runningProcesses(): Promise<readonly number[]> {
  return stillRunning(await allProcesses());
}

/** Those of some processes that run; one that only waits for its parent does not. */
export async function stillRunning(processIds: readonly number[]): Promise<readonly number[]> {
  const states = await Promise.all(
    processIds.map(async (id) => /^.*\) (\S) /.exec(await readFile(`/proc/${id}/stat`, "utf8").catch(() => ""))?.[1] ?? "X"),
  );
  return processIds.filter((_id, index) => states[index] !== "X" && states[index] !== "Z");
}
