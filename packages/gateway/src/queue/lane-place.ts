import { ModelError } from "@factotum/agent-contract";
import type { ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";

/** A run's place in its lane. It is held while the run asks a model, and released while it runs tools. */
export interface LanePlace {
  /** Resolves once the place is held: at once while it is, else ahead of items that have not started. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** Releases the place; a no-op while it is not held. */
  leave(): void;
}

/** The place of work that runs within another item, which holds its own place until that work is done. */
export const OUTER_PLACE: LanePlace = { enter: async () => {}, leave: () => {} };

/** A client whose requests each hold the place, from before the request is sent until its stream ends. A stop while it waits for the place asks nothing. */
export function holdPlaceWhileAsking(client: ModelClient, place: LanePlace): ModelClient {
  return { info: client.info, stream: (request, options) => ask(client, place, request, options) };
}

async function* ask(
  client: ModelClient,
  place: LanePlace,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent, void, undefined> {
  try {
    await place.enter(options.signal);
  } catch (error) {
    yield { type: "message-failed", error: new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: error }) };
    return;
  }
  try {
    yield* client.stream(request, options);
  } finally {
    place.leave();
  }
}
