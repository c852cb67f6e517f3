import type { CommandRunner } from "@factotum/agent-contract";
import { LimitWatch } from "../limits/limit-watch.ts";
import { endFamily, familyGone } from "./child-family.ts";
import { ChildRecords } from "./child-records.ts";
import type { HostRunnerOptions } from "./host-runner-options.ts";
import { KILL_GRACE_MS, startCommand } from "./start-command.ts";

/** Retained output of one running command, and of all of them together. */
const MAX_RING_BYTES = 1024 ** 2;
const MAX_RINGS_BYTES = 32 * 1024 ** 2;

/** A runner of commands, with the operations of the whole process. */
export interface HostRunner extends CommandRunner {
  /** `cgroup`: the kernel limits the memory of every command that has a cgroup. `measuring`: the memory of all commands is measured on a timer. */
  readonly limitsKeptBy: "cgroup" | "measuring";
  /**
   * Ends what a killed gateway left running. Call it before any command is run, from the only process that uses the folder of records. Resolves with how many
   * commands had processes left; `survivors` of them could not be ended and are tried again next time.
   */
  endOrphans(): Promise<{ readonly ended: number; readonly survivors: number }>;
  /** Ends all commands and resolves once none runs. From then on every command is aborted before it starts. */
  close(): Promise<void>;
}

/**
 * Runs commands as processes of this machine, with the rights of the gateway's user.
 *
 * Each command leads its own process group; however it ends, everything that belongs to it is ended with it: TERM, a grace period, KILL. On Linux that includes
 * processes that have left the group. Running commands are recorded, so that the next start finds what a killed gateway left. Shell text runs under bash if
 * available, else under `sh`, with standard error joined to standard output so that the order is exact.
 */
export function createHostRunner(options: HostRunnerOptions): HostRunner {
  const { clock, logger, killGraceMs = KILL_GRACE_MS } = options;
  const records = new ChildRecords(options.recordFolder);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const watch = new LimitWatch({ clock, logger, limits: options.limits });
  const ringBytes = (): number => Math.min(MAX_RING_BYTES, Math.floor(MAX_RINGS_BYTES / Math.max(1, running.size)));
  const start: CommandRunner["start"] = async (request, run) => {
    const signal = AbortSignal.any([run.signal, closing.signal]);
    const started = startCommand(request, { ...run, signal }, options, { records, logger, watch, ringBytes });
    const ended = started.then(async (command) => command.ended);
    const forget = (): void => void running.delete(ended);
    running.add(ended);
    ended.then(forget, forget);
    return started;
  };
  return {
    limitsKeptBy: options.cgroups === undefined ? "measuring" : "cgroup",
    start,
    run: async (request, run) => (await start(request, run)).ended,
    async endOrphans() {
      const orphans = await records.list();
      const outcomes = await Promise.all(
        orphans.map(async (orphan) => {
          const wasGone = await familyGone(orphan, clock, 0);
          if (!wasGone && !(await endFamily(orphan, { clock, graceMs: killGraceMs }))) return "survives";
          await records.remove(orphan.id);
          return wasGone ? "gone" : "ended";
        }),
      );
      return {
        ended: outcomes.filter((outcome) => outcome === "ended").length,
        survivors: outcomes.filter((outcome) => outcome === "survives").length,
      };
    },
    async close() {
      closing.abort();
      await Promise.all(running);
      await options.cgroups?.close();
    },
  };
}
