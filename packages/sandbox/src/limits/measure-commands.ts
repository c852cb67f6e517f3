import { readFileSync } from "node:fs";
import { membersOf } from "../host/child-family.ts";
import type { ChildIdentity } from "../host/child-family.ts";
import { listProcesses } from "../host/process-table.ts";
import type { Usage } from "./command-limits.ts";

export interface MeasureOptions {
  /** False: `memoryBytes` is 0. */
  readonly measuresMemory: boolean;
  /** Up to here the resident memory is exact enough: pages that processes share count for each of them. */
  readonly maxMemoryBytes: number;
}

/** What the processes of each command use now. Above `maxMemoryBytes` in all, shared pages are divided among those that share them (Linux). */
export async function measureCommands(children: readonly ChildIdentity[], options: MeasureOptions): Promise<readonly Usage[]> {
  const rows = await listProcesses();
  const families: (readonly number[])[] = [];
  for (const child of children) families.push((await membersOf(child, rows)).map(({ id }) => id));
  const residentOf = new Map(rows.flatMap(({ id, residentBytes }) => (residentBytes === undefined ? [] : [[id, residentBytes]])));
  const measure = (bytesOf: (id: number) => number): readonly Usage[] =>
    families.map((ids) => ({
      processes: ids.length,
      memoryBytes: options.measuresMemory ? ids.reduce((sum, id) => sum + bytesOf(id), 0) : 0,
    }));
  const resident = (id: number): number => residentOf.get(id) ?? readKilobytes(`/proc/${id}/status`, "VmRSS") ?? 0;
  const roughly = measure(resident);
  if (roughly.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0) <= options.maxMemoryBytes) return roughly;
  return measure((id) => readKilobytes(`/proc/${id}/smaps_rollup`, "Pss") ?? resident(id));
}

/** The bytes that a file of `/proc` gives under the name; `undefined` if it cannot be read: the process has ended, or is another user's. */
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
