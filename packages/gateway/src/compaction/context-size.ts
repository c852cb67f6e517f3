import { contextBudget } from "@factotum/agent-core";
import type { ContextBudget } from "@factotum/agent-core";
import type { Store, TranscriptStore } from "@factotum/store";
import type { ContextSize } from "./is-oversized.ts";
import { estimateContextTokens } from "../context/context-tokens.ts";
import { readHistory } from "../context/read-history.ts";
import { estimatePromptTokens } from "../context/session-cache.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionContext } from "../conversation/session-context.ts";

/** The source of a context. */
export interface ContextReader {
  readonly store: TranscriptStore;
  readonly cache: SessionCache;
}

/**
 * The provider's own figure if it is valid, plus an estimate for the rest. Imported figures were counted by another program over another context, so they are
 * ignored.
 */
export async function readContextSize(
  { sessionId, record }: Pick<SessionContext, "sessionId" | "record">,
  { store, cache }: ContextReader,
): Promise<ContextSize> {
  const { messages, compactedAtMs, omitted } = await readHistory(sessionId, { store, cache });
  const overheadTokens = cache.promptTokens(sessionId) ?? (await readPromptTokens(sessionId, store));
  const countedFromMs = Math.max(compactedAtMs ?? Number.NEGATIVE_INFINITY, record?.importedAtMs ?? Number.NEGATIVE_INFINITY);
  const usageFrom = messages.findIndex((message) => message.timestamp > countedFromMs);
  return {
    contextTokens: estimateContextTokens(messages, { overheadTokens, usageFrom: usageFrom === -1 ? messages.length : usageFrom }),
    overheadTokens,
    compactedAtMs,
    omitted,
  };
}

/** How the window of a session's model is divided. */
export function windowBudget({ agent, model }: Pick<SessionContext, "agent" | "model">): ContextBudget {
  const { reserveTokens, keepRecentTokens } = agent.config.compaction;
  return contextBudget({ window: model.client.info.contextWindow, reserveTokens, keepRecentTokens });
}

async function readPromptTokens(sessionId: string, store: Pick<Store, "readPrompt">): Promise<number> {
  const prompt = await store.readPrompt(sessionId);
  return prompt === undefined ? 0 : estimatePromptTokens(prompt);
}
