import { withoutUndefined } from "@factotum/agent-contract";
import type { HookPayloads } from "@factotum/plugin";
import type { SpawnRecord } from "@factotum/store";

/** A sub-agent that has started, for handlers of hooks. */
export function spawnedPayload(spawn: SpawnRecord): HookPayloads["subagent_spawned"] {
  return { ...placeOf(spawn), task: spawn.task };
}

/** A sub-agent that has ended, for handlers of hooks. */
export function endedPayload(spawn: SpawnRecord, nowMs: number): HookPayloads["subagent_ended"] {
  const { state, reason, createdAtMs, endedAtMs = nowMs } = spawn;
  if (state === "queued" || state === "running" || state === "idle") throw new Error("the sub-agent has not ended yet");
  return { ...placeOf(spawn), state, durationMs: endedAtMs - createdAtMs, ...withoutUndefined({ reason }) };
}

function placeOf({ id, parentKey, childKey, agentId, depth, label, child }: SpawnRecord): Omit<HookPayloads["subagent_spawned"], "task"> {
  return {
    agentId,
    sessionKey: childKey,
    parentSessionKey: parentKey,
    owner: child.owner,
    runId: id,
    depth,
    ...withoutUndefined({ label }),
  };
}
