import { shouldCompact } from "@factotum/agent-core";
import type { CompactionOutcome } from "./compact-session.ts";
import { readContextSize, windowBudget } from "./context-size.ts";
import { mayFlushMemory } from "./memory-flush.ts";
import type { FlushMemory } from "./memory-flush.ts";
import type { RoomKeeper } from "./room-keeper.ts";
import { refreshed } from "./session-context.ts";
import type { SessionContext } from "./session-context.ts";
import type { TurnServices } from "./turn-services.ts";

/**
 * Compacts the session before a turn whose request would leave too little room for an answer: with the summary that was begun behind an earlier turn,
 * if there is one. No notes are taken here, since a person waits (R7). Returns the session as it is then.
 */
export async function makeRoom(
  before: SessionContext,
  services: TurnServices,
  { room, signal }: { readonly room: RoomKeeper; readonly signal: AbortSignal },
): Promise<SessionContext> {
  if (before.record === undefined || !(await isFull(before, services))) return before;
  await room.finish(before.record, signal);
  const context = await refreshed(before, services);
  if (context.record === undefined || !(await isFull(context, services))) return context;
  const { agent, model } = context;
  const size = await readContextSize(context, services);
  await services.compactor.compact({ record: context.record, agent, model, ...size, forced: false }, { signal });
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
  let context = before;
  let size = await readContextSize(context, services);
  if (flushMemory !== undefined && (await mayFlushMemory({ kind: undefined, compactedAtMs: size.compactedAtMs }, context, services))) {
    await flushMemory(context, options);
    options.signal.throwIfAborted();
    context = await refreshed(context, services);
    size = await readContextSize(context, services);
  }
  const { record, agent, model } = context;
  if (record === undefined) return { type: "nothing" };
  const { signal, ...heeding } = options;
  return services.compactor.compact({ record, agent, model, ...size, forced: true, ...heeding }, { signal });
}

async function isFull(context: SessionContext, services: TurnServices): Promise<boolean> {
  const { contextTokens } = await readContextSize(context, services);
  return shouldCompact(contextTokens, windowBudget(context));
}
