import { NO_USAGE_TOTALS, THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject, UsageTotals } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { SessionOverrides, SessionRecord } from "../port/session-records.ts";
import { countOf, nonEmpty, objectOf, oneOf, stringOf, timeOf } from "./unknown-value.ts";

const MAX_LABEL_CHARS = 200;

/** One entry of a `sessions.json` in our format. */
export interface SessionEntryFacts {
  readonly sessionId: string;
  /** The transcript's file name, without any folder: a path that leads elsewhere is ignored. */
  readonly fileName: string;
  readonly record: Pick<SessionRecord, "displayName" | "overrides" | "usage" | "compactionCount"> &
    Partial<
      Pick<
        SessionRecord,
        | "createdAtMs"
        | "interactedAtMs"
        | "updatedAtMs"
        | "expiresAtMs"
        | "label"
        | "spawnedBy"
        | "lastOrigin"
        | "memoryFlushAtMs"
        | "lastHeartbeat"
      >
    >;
}

/** Reads one entry; undefined if it names no session. Unknown fields are ignored. */
export function parseSessionEntry(key: string, value: unknown): SessionEntryFacts | undefined {
  const entry = objectOf(value);
  const sessionId = nonEmpty(entry?.["sessionId"]);
  if (entry === undefined || sessionId === undefined) return undefined;
  const fileName = baseName(nonEmpty(entry["sessionFile"]) ?? "") || baseName(`${sessionId}.jsonl`);
  const label = labelOf(entry["label"]);
  const spawnedBy = nonEmpty(entry["spawnedBy"]);
  const updatedAtMs = timeOf(entry["updatedAt"]);
  const createdAtMs = timeOf(entry["createdAt"]);
  const interactedAtMs = timeOf(entry["lastInteractionAt"]);
  const expiresAtMs = timeOf(entry["expiresAt"]);
  const memoryFlushAtMs = timeOf(entry["memoryFlushAt"]);
  const lastOrigin = parseOrigin(key, entry);
  const heartbeatText = stringOf(entry["lastHeartbeatText"]);
  const sentAtMs = timeOf(entry["lastHeartbeatSentAt"]);
  return {
    sessionId,
    fileName,
    record: {
      displayName: nonEmpty(entry["displayName"]) ?? nonEmpty(entry["subject"]) ?? label ?? key,
      overrides: parseOverrides(entry),
      usage: parseTotals(entry),
      compactionCount: Math.round(countOf(entry["compactionCount"]) ?? 0),
      ...withoutUndefined({ createdAtMs, interactedAtMs, updatedAtMs, expiresAtMs, label, spawnedBy, lastOrigin, memoryFlushAtMs }),
      ...(heartbeatText === undefined || sentAtMs === undefined ? {} : { lastHeartbeat: { text: heartbeatText, sentAtMs } }),
    },
  };
}

/** The last part of a path, on any system. */
function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? "";
}

/** A label is a lookup key, so an invalid one is dropped. */
function labelOf(value: unknown): string | undefined {
  const label = nonEmpty(value);
  return label === undefined || label.includes("\u0000") || !label.isWellFormed() || label.length > MAX_LABEL_CHARS ? undefined : label;
}

function parseOverrides(entry: JsonObject): SessionOverrides {
  const provider = nonEmpty(entry["providerOverride"]);
  const model = nonEmpty(entry["modelOverride"]);
  const queue = withoutUndefined({
    mode: oneOf(entry["queueMode"], ["steer", "followup", "collect", "interrupt"]),
    debounceMs: countOf(entry["queueDebounceMs"]),
    cap: countOf(entry["queueCap"]),
    drop: oneOf(entry["queueDrop"], ["summarize", "old", "new"]),
  });
  const overrides: { -readonly [Name in keyof SessionOverrides]: SessionOverrides[Name] | undefined } = {
    thinking: oneOf(entry["thinkingLevel"], THINKING_LEVELS),
    verbose: oneOf(entry["verboseLevel"], ["off", "on", "full"]),
    reasoning: oneOf(entry["reasoningLevel"], ["off", "on", "stream"]),
    // A file grants nothing: of these two it can only take rights away.
    elevated: oneOf(entry["elevatedLevel"], ["off"]),
    mode: oneOf(entry["toolMode"], ["read-only"]),
    tts: oneOf(entry["ttsAuto"], ["off", "always", "inbound", "tagged"]),
    model: model === undefined || provider === undefined ? model : `${provider}/${model}`,
    authProfile: nonEmpty(entry["authProfileOverride"]),
    sendPolicy: oneOf(entry["sendPolicy"], ["allow", "deny"]),
    activation: oneOf(entry["groupActivation"], ["mention", "always"]),
    queue: Object.keys(queue).length === 0 ? undefined : queue,
  };
  return withoutUndefined(overrides);
}

/** Our totals are kept. The counters of other programs do not give the current context size, so the first turn measures it. */
function parseTotals(entry: JsonObject): UsageTotals {
  const ours = objectOf(entry["usage"]);
  if (ours !== undefined) {
    const totals = Object.keys(NO_USAGE_TOTALS).map((name) => [name, countOf(ours[name]) ?? 0]);
    const costUsd = countOf(ours["costUsd"]);
    return { ...NO_USAGE_TOTALS, ...Object.fromEntries(totals), ...withoutUndefined({ costUsd }) };
  }
  const input = countOf(entry["inputTokens"]) ?? 0;
  const output = countOf(entry["outputTokens"]) ?? 0;
  const cacheRead = countOf(entry["cacheRead"]) ?? 0;
  const cacheWrite = countOf(entry["cacheWrite"]) ?? 0;
  return { ...NO_USAGE_TOTALS, input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}

/** For display only: never used for delivery (R4). */
function parseOrigin(key: string, entry: JsonObject): Origin | undefined {
  const ours = parseOwnOrigin(objectOf(entry["origin"]));
  if (ours !== undefined) return ours;
  const context = objectOf(entry["deliveryContext"]);
  const channel = nonEmpty(context?.["channel"]) ?? nonEmpty(entry["lastChannel"]) ?? nonEmpty(entry["channel"]);
  const id = nonEmpty(context?.["to"]) ?? nonEmpty(entry["lastTo"]);
  if (channel === undefined || id === undefined) return undefined;
  const threadId = context?.["threadId"] ?? entry["lastThreadId"];
  const kind = /:(group|channel):/.exec(key)?.[1] === "channel" ? "channel" : key.includes(":group:") ? "group" : "direct";
  return {
    channel: channel.toLowerCase(),
    accountId: nonEmpty(context?.["accountId"]) ?? nonEmpty(entry["lastAccountId"]) ?? "default",
    conversation: { kind, id, ...(typeof threadId === "string" || typeof threadId === "number" ? { threadId: String(threadId) } : {}) },
  };
}

/** An address in our format; undefined for a foreign one, which is a text or uses other names. */
function parseOwnOrigin(origin: JsonObject | undefined): Origin | undefined {
  const conversation = objectOf(origin?.["conversation"]);
  const channel = nonEmpty(origin?.["channel"]);
  const accountId = nonEmpty(origin?.["accountId"]);
  const kind = oneOf(conversation?.["kind"], ["direct", "group", "channel"]);
  const id = nonEmpty(conversation?.["id"]);
  if (channel === undefined || accountId === undefined || kind === undefined || id === undefined) return undefined;
  const [threadId, parentId, spaceId] = ["threadId", "parentId", "spaceId"].map((name) => nonEmpty(conversation?.[name]));
  return { channel, accountId, conversation: withoutUndefined({ kind, id, threadId, parentId, spaceId }) };
}
