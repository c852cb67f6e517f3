import { withoutUndefined } from "@factotum/agent-contract";
import type { RunOutcome, UsageTotals } from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { OwnInput, SpawnEnd, SpawnEndState, SpawnRecord } from "@factotum/store";
import { externalAgentOf } from "../agents/external-agent.ts";
import { isSubagentKey } from "../routing/session-key.ts";
import { reportText } from "./subagent-report.ts";
import type { ReportedEnd } from "./subagent-report.ts";

/** How the parent is notified of an end: by a turn of its own, with its next turn, or not at all, since it has ended itself. */
type Telling = "turn" | "next-turn" | "never";

/** How a sub-agent, or a run of one that stays open, ends. */
export interface SpawnEnding {
  readonly state: SpawnEndState;
  readonly reason?: string | undefined;
  readonly tells: Telling;
}

/** A forced end: a kill, a deadline, a loss, or `done` for one that was idle for too long. */
export interface BroughtEnd extends SpawnEnding {
  readonly reason: string;
}

/** An end with what came of it. */
interface EndFacts extends SpawnEnding {
  readonly result: string;
  readonly usage: UsageTotals | undefined;
  readonly isTainted: boolean;
  readonly stays: boolean;
  readonly nowMs: number;
}

/** The end as it is stored, with the input that reports it. `keptMs`: for how long its session stays. `idleMs`: for how long one that stays open may be idle. */
export function planEnd(
  spawn: SpawnRecord,
  end: EndFacts,
  { keptMs, idleMs }: { readonly keptMs: number; readonly idleMs: number },
): SpawnEnd {
  const { state, reason, result, usage, stays, nowMs } = end;
  // The end of one that has reported everything needs no turn.
  const tells = end.tells === "turn" && spawn.state === "idle" ? "next-turn" : end.tells;
  const reported: ReportedEnd = {
    state,
    reason,
    result,
    durationMs: nowMs - spawn.createdAtMs,
    tokens: usage?.total ?? 0,
    costUsd: usage?.costUsd,
    // What an external agent has read is not known.
    isTainted: end.isTainted || spawn.child.tainted === true || externalAgentOf(spawn.child.job?.model) !== undefined,
    stays,
  };
  const report = tells === "never" ? undefined : reportInput(spawn, reported, { nowMs, isEvent: tells === "next-turn" });
  return {
    id: spawn.id,
    state,
    endedAtMs: nowMs,
    expiresAtMs: nowMs + keptMs,
    ...withoutUndefined({ reason, report, idleUntilMs: stays ? nowMs + idleMs : undefined }),
    ...(result === "" ? {} : { result }),
  };
}

/** True if a sub-agent stays open after the end of a run: only a kill and its idle limit end a persistent one. */
export function staysOpen({ isPersistent }: Pick<SpawnRecord, "isPersistent">, brought: BroughtEnd | undefined): boolean {
  return isPersistent === true && brought?.state !== "killed" && brought?.state !== "done";
}

/** Only the first report of a sub-agent belongs to the exchange in which it was started: later runs were asked for since then. */
export function isFirstReport(earlier = 0): boolean {
  return earlier === 0;
}

/** One report of a sub-agent, by the number of those before it. */
export function reportName({ id }: Pick<SpawnRecord, "id">, earlier = 0): string {
  return isFirstReport(earlier) ? id : `${id}:${earlier}`;
}

/** The id of the input that reports an end, by the number of reports before it. */
function reportEvent(spawn: Pick<SpawnRecord, "id">, earlier = 0): string {
  return `subagent-end:${reportName(spawn, earlier)}`;
}

/** The id of the input that reports the newest end. */
export function newestReport(spawn: SpawnRecord): string {
  return reportEvent(spawn, isOpenSpawn(spawn) ? (spawn.reports ?? 1) - 1 : spawn.reports);
}

/**
 * How a run that ended by itself ends its sub-agent. One that says nothing, or nothing of the form that was asked for (`misfit` says why), has not done what it
 * was asked.
 */
export function endingOf(outcome: RunOutcome, result: string, misfit: string | undefined): SpawnEnding {
  switch (outcome.type) {
    case "done":
      if (result.trim() === "") return { state: "failed", reason: "it ended without a result", tells: "turn" };
      if (misfit !== undefined) return { state: "failed", reason: `its result does not fit outputSchema: ${misfit}`, tells: "turn" };
      return { state: "done", tells: "turn" };
    case "aborted":
      return { state: "killed", reason: outcome.reason, tells: "turn" };
    case "failed":
      return { state: outcome.code === "timeout" ? "timeout" : "failed", reason: outcome.message, tells: "turn" };
  }
}

/** The input that tells the parent. */
function reportInput(
  spawn: SpawnRecord,
  end: ReportedEnd,
  { nowMs, isEvent }: { readonly nowMs: number; readonly isEvent: boolean },
): OwnInput {
  const { message, admission } = spawn.report;
  const { agentToAgent: asked, ...own } = admission;
  const agentToAgent = isFirstReport(spawn.reports) ? asked : undefined;
  const { text, untrusted } = reportText(spawn, end, { isNested: isSubagentKey(spawn.parentKey), isEvent });
  const eventId = reportEvent(spawn, spawn.reports);
  return {
    message: { ...message, eventId, text, timestampMs: nowMs, ...(untrusted.length === 0 ? {} : { untrusted }) },
    admission: {
      ...own,
      ...withoutUndefined({ agentToAgent }),
      completion: { id: spawn.id, sessionKey: spawn.childKey, state: end.state },
      ...(isEvent ? { isEvent: true } : {}),
      ...(end.isTainted ? { tainted: true } : {}),
    },
  };
}
