import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "@factotum/agent-contract";

const POLL_MS = 20;
/** A process in an uninterruptible wait outlives KILL for as long as the kernel likes; waiting for it has an end. */
const MAX_WAIT_AFTER_KILL_MS = 2_000;

/** Asks the group to end, waits for the grace, then kills it. Resolves when nothing of it runs any more. */
export async function endGroup(groupId: number, options: { readonly clock: Clock; readonly graceMs: number }): Promise<void> {
  if (!signalGroup(groupId, "SIGTERM")) return;
  if (await groupGone(groupId, options.clock, options.graceMs)) return;
  if (!signalGroup(groupId, "SIGKILL")) return;
  await groupGone(groupId, options.clock, MAX_WAIT_AFTER_KILL_MS);
}

/** Resolves with true as soon as the group is gone, with false after `maxWaitMs`. */
export async function groupGone(groupId: number, clock: Clock, maxWaitMs: number): Promise<boolean> {
  const deadline = clock.monotonic() + maxWaitMs;
  while (await isGroupAlive(groupId)) {
    if (clock.monotonic() >= deadline) return false;
    await new Promise<void>((resolve) => clock.schedule(POLL_MS, resolve));
  }
  return true;
}

/** True as long as a process of the group runs. Zombies, which stay when nobody reaps orphans (a container's PID 1), do not count. */
export async function isGroupAlive(groupId: number): Promise<boolean> {
  if (!signalGroup(groupId, 0)) return false;
  if (process.platform !== "linux") return true;
  const entries = await readdir("/proc");
  for (const entry of entries) {
    if (/^\d+$/.test(entry) && (await isLiveMember(entry, groupId))) return true;
  }
  return false;
}

async function isLiveMember(processId: string, groupId: number): Promise<boolean> {
  const line = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => "");
  // pid (name) state parent group …; the name may hold anything, parentheses and spaces too.
  const [state, , group] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return Number(group) === groupId && state !== "Z" && state !== "X";
}

/** False when the group has no process any more. */
function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ESRCH") return false;
    // The group exists, but what is left of it is another user's (a set-uid program).
    if (code === "EPERM") return true;
    throw error;
  }
}
