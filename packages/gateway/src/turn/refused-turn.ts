import type { Logger, Random, Clock, RunFacts, UserMessage } from "@factotum/agent-contract";
import type { SessionStore, TranscriptStore, TurnRecord, TurnStore } from "@factotum/store";
import { StoreError } from "@factotum/store";
import type { InputPolicy } from "../conversation/input-policy.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { EditorLinks } from "../editors/editor-links.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { withFetchedContext } from "../messages/fetch-context.ts";
import type { TurnMessages, TurnMessagesRequest } from "../messages/turn-messages.ts";
import { versionsWith } from "../delivery/entry-versions.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import { runFacts } from "../prompt/run-facts.ts";
import { createNewTurn, identifyTurn } from "../preparation/prepared-turn.ts";
import { whenCommitted } from "../queue/optimistic-commits.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";

/** Dependencies of refused turns. */
export interface RefusedTurnOptions {
  readonly store: TurnStore & Pick<SessionStore, "readSession"> & Pick<TranscriptStore, "readVersions">;
  readonly policy: InputPolicy;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly messages: TurnMessages;
  readonly cache: SessionCache;
  readonly editors: Pick<EditorLinks, "endPrivacy">;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Starts the turn of a job that no model can be asked about, so that its session and messages are committed before it is refused: the next turn has them in its
 * history, and a restart in between retries. Rejects when the store does, or at shutdown.
 */
export async function beginRefusedTurn(
  sessionKey: string,
  refused: InputJob,
  options: RefusedTurnOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<TurnRecord> {
  const { store, clock, conversations, running, messages, cache, editors, events, media, watchers } = options;
  const job = await withFetchedContext(refused, options, { signal, begins: { sessionKey, parts: options } });
  const { message, admission } = leadInput(job);
  await whenCommitted(job.arrival);
  const found = await conversations.readFacts(sessionKey, job.agentId, message.origin);
  const context = { ...(await conversations.resetIfStale(found, sessionKey, job)), model: undefined, fallbacks: [] };
  const run = identifyTurn(job, sessionKey, context, options);
  const render = async (facts: RunFacts | undefined): Promise<readonly UserMessage[]> => {
    const request: TurnMessagesRequest = { ...run, facts, history: [], showsGroup: false, signal };
    return messages.begin(job, request, undefined, context);
  };
  let users: readonly UserMessage[];
  try {
    const bound = { signal, clock };
    users = await raceAbort(render(await raceAbort(runFacts(run, context, running), bound)), bound);
  } catch (error) {
    if (StoreError.isInstance(error) || signal.reason instanceof LaneShutdown) throw error;
    // The workspace itself may be what prevents the turn; the text alone does not need one.
    users = await render(undefined);
  }
  const earlier = context.record === undefined ? (admission.history ?? []) : [];
  const started = await store.startTurn(createNewTurn(job, run, { messages: [...earlier, ...users] }, context));
  if (!started.session.isPrivate) editors.endPrivacy(sessionKey);
  cache.drop(context.sessionId);
  for (const input of inputsOf(job)) await media.release(input.message);
  watchers.claimed(started.turn.inputIds, started.turn.id);
  const versions = await versionsWith(inputsOf(job), started.turn.sessionId, store);
  for (const entry of started.entries) publishEntry({ events }, sessionKey, entry, undefined, versions);
  return started.turn;
}
