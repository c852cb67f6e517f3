import type { HeartbeatConfig } from "@factotum/config";
import { DEFAULT_HEARTBEAT_PROMPT } from "@factotum/agent-core";
import type { JobSpec } from "@factotum/agent-contract";
import type { JobRecord } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { nextInstant } from "@factotum/schedule";
import { agentSessionKey } from "../routing/session-key.ts";
import { scheduleOf } from "./due-slots.ts";
import { mainAuthority } from "./owner-authority.ts";

/** The id of an agent's heartbeat among the jobs; nobody can make a job with such an id. */
export function heartbeatId(agentId: string): string {
  return `heartbeat:${agentId}`;
}

/** The session of an agent's heartbeats: the main session, unless they are configured to have one of their own, another model or a short prompt. */
export function heartbeatSession(agentId: string, { isolatedSession, model, lightContext }: HeartbeatConfig, mainKey: string): string {
  return agentSessionKey(agentId, isolatedSession || model !== undefined || lightContext ? "heartbeat" : mainKey);
}

/**
 * The heartbeat of an agent as a system job. `before`: as it was stored; a beat that is due keeps its time unless the interval has changed.
 */
export function heartbeatJob(
  agentId: string,
  config: HeartbeatConfig,
  { before, mainKey, nowMs }: { readonly before: JobRecord | undefined; readonly mainKey: string; readonly nowMs: number },
): JobRecord {
  const spec: JobSpec = {
    name: "heartbeat",
    schedule: { type: "every", every: config.every },
    payload: { type: "agentTurn", message: (config.prompt ?? DEFAULT_HEARTBEAT_PROMPT).trim() },
    session: { key: heartbeatSession(agentId, config, mainKey) },
    ...withoutUndefined({ model: config.model, lightContext: config.lightContext ? true : undefined }),
  };
  const isSame = before !== undefined && before.spec.schedule.type === "every" && before.spec.schedule.every === config.every;
  const scheduledAtMs = isSame ? before.scheduledAtMs : nowMs;
  const job: JobRecord = {
    id: heartbeatId(agentId),
    agentId,
    system: "heartbeat",
    spec,
    authority: mainAuthority(agentId, mainKey),
    createdAtMs: before?.createdAtMs ?? nowMs,
    scheduledAtMs,
    failures: before?.failures ?? 0,
  };
  const nextSlotMs = isSame && before.nextSlotMs !== undefined ? before.nextSlotMs : nextInstant(scheduleOf(job, "UTC"), nowMs);
  return { ...job, ...withoutUndefined({ nextSlotMs }) };
}
