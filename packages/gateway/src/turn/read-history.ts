import type { AgentMessage } from "@factotum/agent-contract";
import { renderSummaryMessage } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";
import type { TurnServices } from "./turn-services.ts";

/** What a session's requests are made of. */
export interface SessionHistory {
  /** Oldest first; after a compaction the summary stands in front. */
  readonly messages: readonly AgentMessage[];
  readonly compactedAtMs: number | undefined;
}

/** The session's messages since its last compaction, from memory where they are in use. */
export async function readHistory(sessionId: string, services: Pick<TurnServices, "cache" | "store">): Promise<SessionHistory> {
  const cached = services.cache.get(sessionId);
  // What is in use grows with the turn that reads it.
  if (cached !== undefined) return { messages: [...cached.messages], compactedAtMs: cached.compactedAtMs };
  const entries = await services.store.readContext(sessionId);
  const messages = messagesOf(entries);
  const compaction = entries.find((entry) => entry.type === "compaction");
  services.cache.set(sessionId, messages, compaction?.message.timestamp);
  return { messages, compactedAtMs: compaction?.message.timestamp };
}

/** What the entries of a context are in a request; one message for each, since a context holds no notices. */
export function messagesOf(entries: readonly TranscriptEntry[]): readonly AgentMessage[] {
  return entries.flatMap((entry): readonly AgentMessage[] => {
    if (entry.type === "message") return [entry.message];
    return entry.type === "compaction" ? [renderSummaryMessage(entry.message)] : [];
  });
}
