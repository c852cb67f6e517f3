import type { RunKind } from "@factotum/agent-contract";
import { estimateContextTokens, shouldCompact, shouldFlushMemory } from "@factotum/agent-core";
import type { CompactionOutcome } from "./compact-session.ts";
import { mayFlushMemory } from "./memory-flush.ts";
import { readHistory } from "./read-history.ts";
import { estimatePromptTokens } from "./session-cache.ts";
import type { SessionContext } from "./session-context.ts";
import type { TurnServices } from "./turn-services.ts";

/** Runs the silent turn in which the agent writes its notes. Resolves however that ended; rejects only when the store does. */
export type FlushMemory = (context: SessionContext, options: { readonly signal: AbortSignal }) => Promise<void>;

/** How room is made. */
export interface MakeRoomOptions {
  readonly signal: AbortSignal;
  readonly flushMemory: FlushMemory;
}

interface ContextSize {
  readonly contextTokens: number;
  readonly overheadTokens: number;
  readonly compactedAtMs: number | undefined;
}

/** Compacts the session before a turn whose request would leave too little room for an answer. Returns the session as it is then. */
export async function makeRoom(
  before: SessionContext,
  services: TurnServices,
  options: MakeRoomOptions & { readonly kind: RunKind },
): Promise<SessionContext> {
  const { agent, model } = before;
  if (before.record === undefined) return before;
  const { reserveTokens, keepRecentTokens } = agent.config.compaction;
  const budget = { window: model.client.info.contextWindow, reserveTokens, keepRecentTokens };
  let context = before;
  let size = await contextSize(context, services);
  if (!shouldFlushMemory(size.contextTokens, budget)) return context;
  if (await mayFlushMemory({ kind: options.kind, compactedAtMs: size.compactedAtMs }, context, services)) {
    context = await flushed(context, services, options);
    size = await contextSize(context, services);
  }
  if (context.record === undefined || !shouldCompact(size.contextTokens, budget)) return context;
  await services.compactor.compact({ record: context.record, agent, model, ...size, forced: false, signal: options.signal });
  return refreshed(context, services);
}

/**
 * Compacts the session now, because a person asks for it or a provider found the request too long; for the latter no notes can be taken before: that
 * request would be too long, too.
 */
export async function compactNow(
  before: SessionContext,
  services: TurnServices,
  { flushMemory, ...options }: { readonly signal: AbortSignal; readonly instructions?: string; readonly flushMemory?: FlushMemory },
): Promise<CompactionOutcome> {
  const { agent, model } = before;
  let context = before;
  let size = await contextSize(context, services);
  if (flushMemory !== undefined && (await mayFlushMemory({ kind: undefined, compactedAtMs: size.compactedAtMs }, context, services))) {
    context = await flushed(context, services, { ...options, flushMemory });
    size = await contextSize(context, services);
  }
  if (context.record === undefined) return { type: "nothing" };
  return services.compactor.compact({ record: context.record, agent, model, ...size, forced: true, ...options });
}

async function flushed(context: SessionContext, services: TurnServices, { signal, flushMemory }: MakeRoomOptions): Promise<SessionContext> {
  await flushMemory(context, { signal });
  signal.throwIfAborted();
  return refreshed(context, services);
}

async function refreshed(context: SessionContext, services: TurnServices): Promise<SessionContext> {
  const { record } = context;
  return record === undefined ? context : { ...context, record: (await services.store.readSession(record.key)) ?? record };
}

/** Tokens of the next request before the new message: the provider's own figure where it still holds, an estimate for the rest. */
async function contextSize({ sessionId }: SessionContext, services: TurnServices): Promise<ContextSize> {
  const { messages, compactedAtMs } = await readHistory(sessionId, services);
  const overheadTokens = services.cache.promptTokens(sessionId) ?? (await readPromptTokens(sessionId, services));
  const usageFrom = compactedAtMs === undefined ? 0 : messages.findIndex((message) => message.timestamp > compactedAtMs);
  return {
    contextTokens: estimateContextTokens(messages, { overheadTokens, usageFrom: usageFrom === -1 ? messages.length : usageFrom }),
    overheadTokens,
    compactedAtMs,
  };
}

async function readPromptTokens(sessionId: string, { store }: TurnServices): Promise<number> {
  const prompt = await store.readPrompt(sessionId);
  return prompt === undefined ? 0 : estimatePromptTokens(prompt);
}
