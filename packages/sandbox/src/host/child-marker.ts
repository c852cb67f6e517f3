import { readFileSync } from "node:fs";
import { setImmediate as nextTick } from "node:timers/promises";
import { PROC_BATCH } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/**
 * A shell script that runs its arguments after the first two: `$1` becomes the hard limit of file locks (which the kernel has not enforced since 2.4, and every
 * process inherits), `$2` is the folder of a cgroup to enter, or empty. If either fails, the command runs without it. Bash calls the limit `-x`, dash and
 * busybox call it `-w`.
 */
export const MARKED_START =
  '{ ulimit -x "$1" || ulimit -w "$1"; } 2>/dev/null; [ -z "$2" ] || echo 0 2>/dev/null >"$2/cgroup.procs"; shift 2; exec "$@" 2>&1';

/** The marker of a command, a 48-bit number. Unlike its environment and its session, a process loses it only by setting this very limit. */
export function markerOf(id: string): string {
  return String(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
}

/** Which of the processes have the marker. Yields between batches. Linux only. */
export async function withMarker(rows: readonly ProcessRow[], id: string): Promise<readonly ProcessRow[]> {
  const line = new RegExp(`^Max file locks +\\d+ +${markerOf(id)} `, "m");
  const found: ProcessRow[] = [];
  for (let from = 0; from < rows.length; from += PROC_BATCH) {
    if (from > 0) await nextTick();
    found.push(...rows.slice(from, from + PROC_BATCH).filter((row) => line.test(readLimits(row.id))));
  }
  return found;
}

function readLimits(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/limits`, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM") return "";
    throw error;
  }
}
