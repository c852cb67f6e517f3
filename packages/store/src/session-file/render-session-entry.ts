import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { JsonObject } from "@factotum/agent-contract";
import type { SessionRecord } from "../port/session-records.ts";

/** A fixed key order, so that equal values give equal bytes. */
const USAGE_NAMES = Object.keys(NO_USAGE_TOTALS) as readonly (keyof typeof NO_USAGE_TOTALS)[];

/**
 * A session's facts under the names of `sessions.json`, and under names of ours where it has none (`usage`, `createdAt`, `expiresAt`). The route fields are for
 * display: they are never used for delivery (R4). `parseSessionEntry` reads it back.
 */
export function renderSessionEntry(record: SessionRecord): JsonObject {
  const { overrides, usage, lastOrigin } = record;
  const [provider, ...model] = overrides.model?.split("/") ?? [];
  const conversation = lastOrigin?.conversation;
  const route =
    lastOrigin === undefined || conversation === undefined
      ? undefined
      : { channel: lastOrigin.channel, to: conversation.id, accountId: lastOrigin.accountId, threadId: conversation.threadId };
  const entry = {
    sessionId: record.sessionId,
    updatedAt: record.updatedAtMs,
    createdAt: record.createdAtMs,
    sessionStartedAt: record.startedAtMs,
    lastInteractionAt: record.interactedAtMs,
    expiresAt: record.expiresAtMs,
    sessionFile: `${record.sessionId}.jsonl`,
    lastHeartbeatText: record.lastHeartbeat?.text,
    lastHeartbeatSentAt: record.lastHeartbeat?.sentAtMs,
    memoryFlushAt: record.memoryFlushAtMs,
    spawnedBy: record.spawnedBy,
    thinkingLevel: overrides.thinking,
    verboseLevel: overrides.verbose,
    reasoningLevel: overrides.reasoning,
    elevatedLevel: overrides.elevated,
    toolMode: overrides.mode,
    ttsAuto: overrides.tts,
    providerOverride: model.length === 0 ? undefined : provider,
    modelOverride: model.length === 0 ? provider : model.join("/"),
    authProfileOverride: overrides.authProfile,
    sendPolicy: overrides.sendPolicy,
    groupActivation: overrides.activation,
    queueMode: overrides.queue?.mode,
    queueDebounceMs: overrides.queue?.debounceMs,
    queueCap: overrides.queue?.cap,
    queueDrop: overrides.queue?.drop,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
    totalTokens: usage.total,
    contextTokens: usage.lastInput + usage.lastCacheRead + usage.lastCacheWrite,
    usage: { ...Object.fromEntries(USAGE_NAMES.map((name) => [name, usage[name]])), costUsd: usage.costUsd },
    compactionCount: record.compactionCount,
    label: record.label,
    displayName: record.displayName,
    chatType: conversation?.kind,
    channel: lastOrigin?.channel,
    subject: conversation?.kind === "group" ? record.displayName : undefined,
    groupChannel: conversation?.kind === "channel" ? record.displayName : undefined,
    origin: lastOrigin,
    deliveryContext: route,
    lastChannel: route?.channel,
    lastTo: route?.to,
    lastAccountId: route?.accountId,
    lastThreadId: route?.threadId,
  };
  // A round trip through JSON drops undefined values.
  return JSON.parse(JSON.stringify(entry)) as JsonObject;
}
