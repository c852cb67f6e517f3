import type { Clock } from "@factotum/agent-contract";
import type { CommandCgroup } from "../cgroup/command-cgroups.ts";
import { withMarker } from "./child-marker.ts";
import { bootId, linuxStart, listProcesses, startOf, withVariable } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/** The variable that every process of a command inherits; its value is the command's id. */
export const CHILD_VARIABLE = "FACTOTUM_CHILD";

const POLL_MS = 20;
/** A process in an uninterruptible wait outlives SIGKILL indefinitely; waiting for it is bounded. */
const MAX_WAIT_AFTER_KILL_MS = 2_000;

/** Identifies the processes of a command. */
export interface ChildIdentity {
  /** The value of `FACTOTUM_CHILD`: a random UUID. */
  readonly id: string;
  /** The leader of the command's process group, with its `startOf`; `undefined` if it was never recorded. */
  readonly leader: { readonly processId: number; readonly start: string | undefined } | undefined;
  /** The leader is a child of this process: its group is ours, even after the leader has ended. */
  readonly own: boolean;
  /** Its own cgroup, if it has one. */
  readonly cgroup?: Pick<CommandCgroup, "members"> | undefined;
}

/** The running processes of a command: its whole group, or single processes that left it. */
interface Family {
  readonly groupId: number | undefined;
  readonly outside: readonly number[];
}

/** Sends TERM to everything that belongs to the command, waits for the grace period, then sends KILL. False if something of it still runs. */
export async function endFamily(child: ChildIdentity, options: { readonly clock: Clock; readonly graceMs: number }): Promise<boolean> {
  const { clock, graceMs } = options;
  if (!signalFamily(await findFamily(child), "SIGTERM")) return true;
  if (await familyGone(child, clock, graceMs)) return true;
  const deadline = clock.monotonic() + MAX_WAIT_AFTER_KILL_MS;
  // Searched again each time: a killed process may just have started another.
  while (signalFamily(await findFamily(child), "SIGKILL")) {
    if (clock.monotonic() >= deadline) return false;
    await pause(clock);
  }
  return true;
}

/** Resolves with true once nothing of the command runs, with false after `maxWaitMs`. */
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
    // No file can be opened any more: then only the group is known.
    if (own && leader !== undefined) return { groupId: leader.processId, outside: [] };
    throw error;
  }
}

async function findOnLinux(child: ChildIdentity): Promise<Family> {
  const rows = await listProcesses();
  const [members, groupId] = [await membersOf(child, rows), await groupOf(child, rows)];
  return {
    groupId: members.some((row) => row.groupId === groupId) ? groupId : undefined,
    outside: members.filter((row) => row.groupId !== groupId).map(({ id }) => id),
  };
}

/**
 * The processes of a command among the rows: its group, and on Linux also its cgroup, every process that inherited the variable or the marker, and the
 * descendants of all of them. Without a cgroup, a process is missed if it clears its environment, changes the limit that is the marker and has no parent left.
 */
export async function membersOf(child: ChildIdentity, rows: readonly ProcessRow[]): Promise<readonly ProcessRow[]> {
  const others = rows.filter(({ id }) => id !== process.pid);
  const groupId = await groupOf(child, others);
  const members = new Set(others.filter((row) => row.groupId === groupId).map(({ id }) => id));
  let candidates = others;
  if (process.platform === "linux") {
    const startTicks = Number(child.leader?.start?.split(" ")[1] ?? 0);
    const isOfThisBoot = child.leader?.start?.startsWith(await bootId()) === true;
    candidates = others.filter((row) => row.startTicks >= startTicks || !isOfThisBoot);
    for (const id of (await child.cgroup?.members()) ?? []) members.add(id);
    const unknown = (): readonly ProcessRow[] => candidates.filter(({ id }) => !members.has(id));
    for (const { id } of await withMarker(unknown(), child.id)) members.add(id);
    for (const { id } of await withVariable(unknown(), CHILD_VARIABLE, child.id)) members.add(id);
  }
  addDescendants(members, candidates);
  return candidates.filter(({ id }) => members.has(id));
}

/** The number of an empty group may have been reused: it counts only while its leader runs, or is our own child. */
async function groupOf({ leader, own }: ChildIdentity, rows: readonly ProcessRow[]): Promise<number | undefined> {
  if (own || leader === undefined || process.platform !== "linux") return leader?.processId;
  const boot = await bootId();
  const runs = rows.some((row) => row.id === leader.processId && linuxStart(row, boot) === leader.start);
  return runs ? leader.processId : undefined;
}

function addDescendants(members: Set<number>, rows: readonly ProcessRow[]): void {
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const row of rows) if (members.has(row.parentId)) members.add(row.id);
  }
}

/** False if no process was left to signal. */
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
    // It exists, but belongs to another user (a set-uid program).
    if (code === "EPERM") return true;
    throw error;
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.schedule(POLL_MS, resolve));
}
