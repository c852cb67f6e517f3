import { estimateContextTokens } from "@factotum/agent-core";
import type { ContextBudgetOptions } from "@factotum/agent-core";
import { readHistory } from "./read-history.ts";
import { estimatePromptTokens } from "./session-cache.ts";
import type { SessionContext } from "./session-context.ts";
import type { TurnServices } from "./turn-services.ts";

/** What the next request of a session takes of the window before its new message. */
export interface ContextSize {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
  readonly compactedAtMs: number | undefined;
}

/** The provider's own figure where it still holds, an estimate for the rest. */
export async function readContextSize({ sessionId }: Pick<SessionContext, "sessionId">, services: TurnServices): Promise<ContextSize> {
  const { messages, compactedAtMs } = await readHistory(sessionId, services);
  const overheadTokens = services.cache.promptTokens(sessionId) ?? (await readPromptTokens(sessionId, services));
  const usageFrom = compactedAtMs === undefined ? 0 : messages.findIndex((message) => message.timestamp > compactedAtMs);
  return {
    contextTokens: estimateContextTokens(messages, { overheadTokens, usageFrom: usageFrom === -1 ? messages.length : usageFrom }),
    overheadTokens,
    compactedAtMs,
  };
}

/** How the window of a session's model is shared out. */
export function windowBudget({ agent, model }: Pick<SessionContext, "agent" | "model">): ContextBudgetOptions {
  const { reserveTokens, keepRecentTokens } = agent.config.compaction;
  return { window: model.client.info.contextWindow, reserveTokens, keepRecentTokens };
}

async function readPromptTokens(sessionId: string, { store }: TurnServices): Promise<number> {
  const prompt = await store.readPrompt(sessionId);
  return prompt === undefined ? 0 : estimatePromptTokens(prompt);
}
