import { NO_USAGE, NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { AssistantMessage, UsageTotals, UserMessage } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type {
  ImportedSession,
  InputAdmission,
  NewOutbound,
  NewSession,
  NewTurn,
  PromptRecord,
  TranscriptBody,
  TurnEnd,
} from "../src/index.ts";

/** The timestamp of every sample, unless it sets another. */
export const NOW_MS: number = Date.UTC(2026, 0, 30, 12);

export const ORIGIN: Origin = { channel: "feishu", accountId: "default", conversation: { kind: "direct", id: "oc_1" } };

export const OWNER: InputAdmission = { owner: true, kind: "user" };

export const RUN_USAGE: UsageTotals = {
  input: 10,
  output: 5,
  cacheRead: 100,
  cacheWrite: 7,
  total: 122,
  costUsd: 0.5,
  calls: 2,
  lastInput: 4,
  lastCacheRead: 60,
  lastCacheWrite: 3,
};

export function sampleMessage(eventId: string, changes: Partial<MsgContext> = {}): MsgContext {
  return {
    origin: ORIGIN,
    eventId,
    messageId: messageId(`om_${eventId}`),
    timestampMs: NOW_MS,
    event: { type: "message" },
    sender: { id: "ou_1", name: "Ada", isBot: false },
    text: `text of ${eventId}`,
    mentionsBot: false,
    attachments: [],
    ...changes,
  };
}

export function sampleSession(changes: Partial<NewSession> = {}): NewSession {
  return { key: "agent:main:main", sessionId: "session-1", agentId: "main", isPrivate: true, displayName: "Ada", ...changes };
}

export function userEntry(text: string): TranscriptBody & { readonly type: "message" } {
  const message: UserMessage = { role: "user", content: [{ type: "text", text }], timestamp: NOW_MS };
  return { type: "message", message };
}

export function assistantEntry(text: string): TranscriptBody & { readonly type: "message" } {
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "some-model",
    usage: NO_USAGE,
    stopReason: "stop",
    timestamp: NOW_MS,
  };
  return { type: "message", message };
}

export function compactionEntry(firstKeptEntryId: string, summary = "what was said"): TranscriptBody {
  return { type: "compaction", message: { role: "compaction", summary, firstKeptEntryId, tokensBefore: 900, timestamp: NOW_MS } };
}

export function sampleTurn(id: string, inputIds: readonly string[], changes: Partial<NewTurn> = {}): NewTurn {
  return {
    id,
    session: sampleSession(),
    touch: { interactedAtMs: NOW_MS, lastOrigin: ORIGIN },
    kind: "user",
    origin: ORIGIN,
    owner: true,
    inputIds,
    entries: [userEntry(`asked in ${id}`)],
    startedAtMs: NOW_MS,
    ...changes,
  };
}

export function sampleOutbound(idempotencyKey: string, changes: Partial<NewOutbound> = {}): NewOutbound {
  return {
    sessionKey: "agent:main:main",
    target: ORIGIN,
    outbound: { type: "text", text: `sent as ${idempotencyKey}` },
    purpose: "reply",
    idempotencyKey,
    dueAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 60_000,
    state: "waiting",
    ...changes,
  };
}

export function sampleEnd(turnId: string, changes: Partial<TurnEnd> = {}): TurnEnd {
  return {
    turnId,
    state: "done",
    entries: [assistantEntry(`answered in ${turnId}`)],
    outbox: [sampleOutbound(`${turnId}:0`)],
    usage: RUN_USAGE,
    inputState: { type: "answered" },
    endedAtMs: NOW_MS + 1000,
    ...changes,
  };
}

export function samplePrompt(changes: Partial<PromptRecord> = {}): PromptRecord {
  return {
    sessionId: "session-1",
    system: { stable: "You are here to help.\u0000\ud800", session: "zone=UTC" },
    tools: [{ name: "read", description: "Reads a file.", parameters: { type: "object", properties: { path: { type: "string" } } } }],
    hash: "hash-1",
    cause: "new-session",
    basis: "basis-1",
    renderedAtMs: NOW_MS,
    ...changes,
  };
}

/** An imported session. */
export function importedSession(changes: Partial<ImportedSession> = {}): ImportedSession {
  return {
    ...sampleSession(),
    createdAtMs: NOW_MS - 9,
    startedAtMs: NOW_MS - 8,
    interactedAtMs: NOW_MS - 7,
    updatedAtMs: NOW_MS - 6,
    overrides: { model: "a/b" },
    usage: { ...NO_USAGE_TOTALS, total: 3 },
    compactionCount: 4,
    label: "Old",
    entries: [
      { id: "x1", timestampMs: NOW_MS - 5, body: userEntry("one") },
      { id: "x2", timestampMs: NOW_MS - 4, body: userEntry("two") },
      { id: "x3", timestampMs: NOW_MS - 3, body: compactionEntry("x2") },
    ],
    ...changes,
  };
}
