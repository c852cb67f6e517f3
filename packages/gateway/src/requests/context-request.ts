import { withoutUndefined } from "@factotum/agent-contract";
import type { Usage } from "@factotum/agent-contract";
import type { ContextRequest, RunUsage } from "@factotum/protocol";
import type { RequestRecord } from "@factotum/store";

/** Converts a stored request to its protocol shape. */
export function toContextRequest(record: RequestRecord, hide: (text: string) => string): ContextRequest {
  const { settings, outcome } = record;
  return {
    id: record.id,
    turnId: record.turnId,
    turn: record.turnNumber,
    request: record.number,
    kind: record.kind,
    sentAtMs: record.sentAtMs,
    durationMs: record.durationMs,
    model: record.model,
    ...withoutUndefined({ credential: record.credential, thinking: settings.thinking, maxOutputTokens: settings.maxOutputTokens }),
    cacheRetention: settings.cacheRetention ?? "short",
    promptHash: record.promptHash ?? "",
    messages: record.messages.count,
    causes: record.causes,
    usage: toRunUsage(record.usage),
    outcome: outcome.type === "answered" ? outcome : { ...outcome, message: hide(outcome.message) },
  };
}

/** Converts a usage to its protocol shape. */
export function toRunUsage({ input, output, cacheRead, cacheWrite, total, costUsd }: Usage): RunUsage {
  return { input, output, cacheRead, cacheWrite, total, ...withoutUndefined({ costUsd }) };
}
