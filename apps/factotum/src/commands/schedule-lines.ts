import type { GatewayStatus } from "@factotum/protocol";
import { terminalText } from "../runtime/foreign-text.ts";
import { duration } from "./duration-text.ts";

/** Jobs and heartbeats, with what needs attention; nothing if there are none. */
export function describeSchedule({ enabled, lateMs, jobs, failing, heartbeats }: GatewayStatus["schedule"], nowMs: number): string[] {
  if (jobs === 0 && heartbeats.length === 0) return [];
  return [
    `schedule   ${jobs} ${jobs === 1 ? "job" : "jobs"}${enabled ? "" : "; nothing runs: cron.enabled is off"}`,
    ...(lateMs === 0 ? [] : [`           ! the scheduler is late by ${duration(lateMs)}`]),
    ...failing.map(({ id, name, failures, disabledBecause }) => {
      const failed = failures === 1 ? "has failed once" : `has failed ${failures} times in a row`;
      const what = disabledBecause === undefined ? failed : `is disabled: ${disabledBecause}`;
      return `           ! the job ${JSON.stringify(terminalText(name))} (${id}) ${terminalText(what)}`;
    }),
    ...heartbeats.map(({ agentId, nextAtMs, last }) => {
      const next = nextAtMs === undefined ? "" : `, next in ${duration(Math.max(0, nextAtMs - nowMs))}`;
      const reason = last?.reason === undefined ? "" : ` (${terminalText(last.reason)})`;
      const outcome = last === undefined ? "none yet" : `last ${duration(nowMs - last.atMs)} ago: ${last.state}${reason}`;
      return `           heartbeat of ${agentId}: ${outcome}${next}`;
    }),
  ];
}
