import type { Clock } from "@factotum/agent-contract";
import { bootId, linuxStart, listProcesses, startOf, withVariable } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/** The variable that every process of a command inherits; its value is the command's id. */
export const CHILD_VARIABLE = "FACTOTUM_CHILD";

const POLL_MS = 20;
/** A process in an uninterruptible wait outlives KILL for as long as the kernel likes; waiting for it has an end. */
const MAX_WAIT_AFTER_KILL_MS = 2_000;

/** Whose processes are meant. */
export interface ChildIdentity {
  /** The value of `FACTOTUM_CHILD`: a random UUID. */
  readonly id: string;
  /** The process that leads the command's group, with what `startOf` said of it; `undefined` when it was never written down. */
  readonly leader: { readonly processId: number; readonly start: string | undefined } | undefined;
  /** The leader is a child of this process: its group is ours, also when the leader itself has ended. */
  readonly own: boolean;
}

/** What of a command runs: its whole group, or single processes that left it. */
interface Family {
  readonly groupId: number | undefined;
  readonly outside: readonly number[];
}

/** Asks everything that belongs to the command to end, waits for the grace, then kills it. False when something of it still runs. */
export async function endFamily(child: ChildIdentity, options: { readonly clock: Clock; readonly graceMs: number }): Promise<boolean> {
  const { clock, graceMs } = options;
  if (!signalFamily(await findFamily(child), "SIGTERM")) return true;
  if (await familyGone(child, clock, graceMs)) return true;
  const deadline = clock.monotonic() + MAX_WAIT_AFTER_KILL_MS;
  // Looked for anew each time: what was killed may just have started another.
  while (signalFamily(await findFamily(child), "SIGKILL")) {
    if (clock.monotonic() >= deadline) return false;
    await pause(clock);
  }
  return true;
}

/** Resolves with true as soon as nothing of the command runs, with false after `maxWaitMs`. */
export async function familyGone(child: ChildIdentity, clock: Clock, maxWaitMs: number): Promise<boolean> {
  const deadline = clock.monotonic() + maxWaitMs;
  while (signalFamily(await findFamily(child), 0)) {
    if (clock.monotonic() >= deadline) return false;
    await pause(clock);
  }
  return true;
}

async function findFamily(child: ChildIdentity): Promise<Family> {
  const { leader, own } = child;
  if (process.platform !== "linux") {
    const isOurs = leader !== undefined && (own || (leader.start !== undefined && (await startOf(leader.processId)) === leader.start));
    return { groupId: isOurs ? leader.processId : undefined, outside: [] };
  }
  try {
    return await findOnLinux(child);
  } catch (error) {
    // No file can be opened any more: then the group is what can be had.
    if (own && leader !== undefined) return { groupId: leader.processId, outside: [] };
    throw error;
  }
}

/**
 * The group, whoever inherited the variable, and the descendants of all of them. A process that cleans its environment and whose
 * parents have ended is not found.
 */
async function findOnLinux(child: ChildIdentity): Promise<Family> {
  const { leader } = child;
  const rows = (await listProcesses()).filter(({ id }) => id !== process.pid);
  const boot = await bootId();
  const first = rows.find((row) => row.id === leader?.processId && linuxStart(row, boot) === leader.start);
  // The number of a group that has become empty may be another's by now.
  const groupId = child.own || first !== undefined ? leader?.processId : undefined;
  const startTicks = Number(leader?.start?.split(" ")[1] ?? 0);
  const candidates = rows.filter((row) => row.startTicks >= startTicks || leader?.start?.startsWith(boot) !== true);
  const members = new Set(candidates.filter((row) => row.groupId === groupId).map(({ id }) => id));
  const marked = await withVariable(
    candidates.filter(({ id }) => !members.has(id)),
    CHILD_VARIABLE,
    child.id,
  );
  for (const { id } of marked) members.add(id);
  addDescendants(members, candidates);
  const inGroup = candidates.some((row) => members.has(row.id) && row.groupId === groupId);
  return {
    groupId: inGroup ? groupId : undefined,
    outside: candidates.filter((row) => members.has(row.id) && row.groupId !== groupId).map(({ id }) => id),
  };
}

function addDescendants(members: Set<number>, rows: readonly ProcessRow[]): void {
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const row of rows) if (members.has(row.parentId)) members.add(row.id);
  }
}

/** False when there is nothing that could be signalled any more. */
function signalFamily({ groupId, outside }: Family, signal: NodeJS.Signals | 0): boolean {
  const targets = [...(groupId === undefined ? [] : [-groupId]), ...outside];
  return targets.map((target) => send(target, signal)).includes(true);
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ESRCH") return false;
    // It exists, but it is another user's (a set-uid program).
    if (code === "EPERM") return true;
    throw error;
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.schedule(POLL_MS, resolve));
}
