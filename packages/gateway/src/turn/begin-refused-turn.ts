import type { RunFacts, UserMessage } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { TurnRecord } from "@factotum/store";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { withFetchedContext } from "../messages/fetch-context.ts";
import { createNewTurn } from "../conversation/new-turn.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import { runFacts } from "../prompt/run-facts.ts";
import { inputsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import { renderTurnMessages } from "../messages/turn-messages.ts";
import type { TurnMessagesRequest } from "../messages/turn-messages.ts";
import type { TurnServices } from "../services/turn-services.ts";
import { raceAbort } from "../kernel/race-abort.ts";

/**
 * Begins the turn of a job that no model can be asked about, so that its session and what was said are on disk before anything is refused: the next turn
 * has the words in its history, and a restart in between tries again. Rejects when the store does, or at a shutdown.
 */
export async function beginRefusedTurn(
  sessionKey: string,
  refused: InputJob,
  services: TurnServices,
  { signal }: { readonly signal: AbortSignal },
): Promise<TurnRecord> {
  const { store, clock, random } = services;
  const job = await withFetchedContext(refused, services, { signal });
  const { message, admission } = job.input;
  await job.arrival?.committed;
  const found = await services.conversations.readFacts(sessionKey, job.agentId, message.origin);
  const context = { ...(await services.conversations.resetIfStale(found, sessionKey, job)), model: undefined, fallbacks: [] };
  const nowMs = clock.now();
  const { kind, owner } = admission;
  const run = { id: random.uuid(), kind, owner, sessionKey, sessionId: context.sessionId };
  const isPrivate = (context.record?.isPrivate ?? true) && owner && !context.isGroup;
  const render = async (facts: RunFacts | undefined): Promise<readonly UserMessage[]> => {
    const request: TurnMessagesRequest = { sessionKey, facts, history: [], nowMs, isPrivate, showsGroup: false, signal };
    return renderTurnMessages(job, request, undefined, context, services);
  };
  let users: readonly UserMessage[];
  try {
    const bound = { signal, clock };
    users = await raceAbort(render(await raceAbort(runFacts(run, context, services), bound)), bound);
  } catch (error) {
    if (StoreError.isInstance(error) || signal.reason instanceof LaneShutdown) throw error;
    // What keeps the turn from beginning may be the workspace itself: the words alone need none.
    users = await render(undefined);
  }
  const earlier = context.record === undefined ? (admission.history ?? []) : [];
  const started = await store.startTurn(createNewTurn(job, { id: run.id, sessionKey, messages: [...earlier, ...users], nowMs }, context));
  services.cache.drop(context.sessionId);
  for (const input of inputsOf(job)) await services.media.release(input.message);
  services.watchers.claimed(started.turn.inputIds, started.turn.id);
  for (const entry of started.entries) publishEntry(services, sessionKey, entry, undefined);
  return started.turn;
}
