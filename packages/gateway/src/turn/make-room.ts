import { estimateContextTokens, estimateTokens, shouldCompact } from "@factotum/agent-core";
import type { CompactionOutcome } from "./compact-session.ts";
import { readHistory } from "./read-history.ts";
import type { SessionContext } from "./session-context.ts";
import type { TurnServices } from "./turn-services.ts";

/** Compacts the session before a turn whose request would leave too little room for an answer. Returns the session as it is then. */
export async function makeRoom(context: SessionContext, services: TurnServices, signal: AbortSignal): Promise<SessionContext> {
  const { record, agent, model } = context;
  if (record === undefined) return context;
  const size = await contextSize(context, services);
  const { reserveTokens, keepRecentTokens } = agent.config.compaction;
  if (!shouldCompact(size.contextTokens, { window: model.client.info.contextWindow, reserveTokens, keepRecentTokens })) return context;
  await services.compactor.compact({ record, agent, model, ...size, forced: false, signal });
  return { ...context, record: (await services.store.readSession(record.key)) ?? record };
}

/** Compacts the session now, because a person asks for it or a provider found the request too long. */
export async function compactNow(
  context: SessionContext,
  services: TurnServices,
  options: { readonly signal: AbortSignal; readonly instructions?: string },
): Promise<CompactionOutcome> {
  const { record, agent, model } = context;
  if (record === undefined) return { type: "nothing" };
  return services.compactor.compact({ record, agent, model, ...(await contextSize(context, services)), forced: true, ...options });
}

/** Tokens of the next request before the new message: the provider's own figure where it still holds, an estimate for the rest. */
async function contextSize(
  { sessionId }: SessionContext,
  services: TurnServices,
): Promise<{ readonly contextTokens: number; readonly overheadTokens: number }> {
  const { messages, compactedAtMs } = await readHistory(sessionId, services);
  const prompt = services.cache.prompt(sessionId) ?? (await services.store.readPrompt(sessionId));
  const overheadTokens =
    prompt === undefined
      ? 0
      : estimateTokens(prompt.system.stable) + estimateTokens(prompt.system.session) + estimateTokens(JSON.stringify(prompt.tools));
  const usageFrom = compactedAtMs === undefined ? 0 : messages.findIndex((message) => message.timestamp > compactedAtMs);
  return {
    contextTokens: estimateContextTokens(messages, { overheadTokens, usageFrom: usageFrom === -1 ? messages.length : usageFrom }),
    overheadTokens,
  };
}
