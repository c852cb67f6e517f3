import { shouldCompact } from "@factotum/agent-core";
import type { CompactionOutcome, CompactionRequest } from "./compact-session.ts";
import { readContextSize, windowBudget } from "./context-size.ts";
import type { ContextSize } from "./context-size.ts";
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
 * request would be too long, too. None are taken when there is nothing to summarise.
 */
export async function compactNow(
  context: SessionContext,
  services: TurnServices,
  { flushMemory, ...options }: { readonly signal: AbortSignal; readonly instructions?: string; readonly flushMemory?: FlushMemory },
): Promise<CompactionOutcome> {
  const { signal, ...heeding } = options;
  let request = await forcedRequest(context, services);
  if (
    request !== undefined &&
    flushMemory !== undefined &&
    (await mayFlushMemory({ kind: undefined, compactedAtMs: request.compactedAtMs }, context, services))
  ) {
    if (!(await services.compactor.canCompact(request))) return { type: "nothing" };
    await flushMemory(context, options);
    signal.throwIfAborted();
    request = await forcedRequest(await refreshed(context, services), services);
  }
  return request === undefined ? { type: "nothing" } : services.compactor.compact({ ...request, ...heeding }, { signal });
}

/** `undefined` for a session that has not begun. */
async function forcedRequest(context: SessionContext, services: TurnServices): Promise<(CompactionRequest & ContextSize) | undefined> {
  const { record, agent, model } = context;
  return record === undefined ? undefined : { record, agent, model, ...(await readContextSize(context, services)), forced: true };
}

async function isFull(context: SessionContext, services: TurnServices): Promise<boolean> {
  const { contextTokens } = await readContextSize(context, services);
  return shouldCompact(contextTokens, windowBudget(context));
}
