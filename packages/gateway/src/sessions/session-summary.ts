import { withoutUndefined } from "@factotum/agent-contract";
import type { SessionSummary } from "@factotum/protocol";
import type { SessionRecord } from "@factotum/store";
import { sessionKind } from "../routing/session-key.ts";

/** What clients are told of a session in lists. */
export function toSessionSummary(
  record: SessionRecord,
  { mainKey, isRunning }: { readonly mainKey: string; readonly isRunning: boolean },
): SessionSummary {
  const { usage, overrides } = record;
  return {
    key: record.key,
    sessionId: record.sessionId,
    agentId: record.agentId,
    kind: sessionKind(record.key, mainKey),
    displayName: record.displayName,
    createdAtMs: record.createdAtMs,
    activeAtMs: record.updatedAtMs,
    running: isRunning,
    contextTokens: usage.lastInput + usage.lastCacheRead + usage.lastCacheWrite,
    totalTokens: usage.total,
    ...withoutUndefined({
      label: record.label,
      channel: record.lastOrigin?.channel,
      model: overrides.model,
      pinned: overrides.pinned,
      archived: overrides.archived,
      workspace: overrides.workspace,
      costUsd: usage.costUsd,
    }),
  };
}
