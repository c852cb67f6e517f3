import { readFileSync } from "node:fs";
import { membersOf } from "../host/child-family.ts";
import type { ChildIdentity } from "../host/child-family.ts";
import { listProcesses } from "../host/process-table.ts";
import type { Usage } from "./command-limits.ts";

/**
 * Current use by the processes of each command. `memoryBytes` is 0 while all of them are in their commands' cgroups, where the kernel limits their memory. As
 * soon as one is not, all are measured: they share the limit. Resident memory is used up to `maxMemoryBytes` in total; above it, shared pages are divided among
 * the sharing processes (Linux).
 */
export async function measureCommands(children: readonly ChildIdentity[], maxMemoryBytes: number): Promise<readonly Usage[]> {
  const rows = await listProcesses();
  const families: (readonly number[])[] = [];
  const outside: number[] = [];
  for (const child of children) {
    const ids = (await membersOf(child, rows)).map(({ id }) => id);
    const inside = new Set(await child.cgroup?.members());
    families.push(ids);
    outside.push(...ids.filter((id) => !inside.has(id)));
  }
  const residentOf = new Map(rows.flatMap(({ id, residentBytes }) => (residentBytes === undefined ? [] : [[id, residentBytes]])));
  const resident = (id: number): number => residentOf.get(id) ?? readKilobytes(`/proc/${id}/status`, "VmRSS") ?? 0;
  // A process that has ended meanwhile is in no cgroup either, and has no memory.
  const measuresMemory = outside.some((id) => resident(id) > 0);
  const measure = (bytesOf: (id: number) => number): readonly Usage[] =>
    families.map((ids) => ({
      processes: ids.length,
      memoryBytes: measuresMemory ? ids.reduce((sum, id) => sum + bytesOf(id), 0) : 0,
    }));
  const roughly = measure(resident);
  if (roughly.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) <= maxMemoryBytes) return roughly;
  return measure((id) => readKilobytes(`/proc/${id}/smaps_rollup`, "Pss") ?? resident(id));
}

/** The bytes in a field of a `/proc` file; `undefined` if it cannot be read: the process has ended, or belongs to another user. */
function readKilobytes(file: string, name: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(String(code))) return undefined;
    throw error;
  }
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
