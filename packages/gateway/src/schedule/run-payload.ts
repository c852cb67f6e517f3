import { withoutUndefined } from "@factotum/agent-contract";
import type { HookPayloads } from "@factotum/plugin";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";

/** The outcome of a slot, for handlers of hooks. */
export function runPayload(
  { jobId, slotMs, state, reason, attempt, startedAtMs, endedAtMs }: OccurrenceRecord,
  { agentId, spec: { name } }: JobRecord,
): HookPayloads["cron_run"] {
  if (state === "claimed" || state === "running") throw new Error("the slot has no outcome yet");
  const durationMs = startedAtMs === undefined || endedAtMs === undefined ? undefined : endedAtMs - startedAtMs;
  return { agentId, jobId, name, slotMs, state, attempt, ...withoutUndefined({ reason, durationMs }) };
}
