import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure, raceAbort } from "@factotum/channel-kit";
import { toFailure } from "../errors.ts";
import type { KnownAdapter } from "../known-adapters.ts";

/** What is known of the adapter, and the clock of its calls. */
export interface AdapterCalls {
  readonly clock: ChannelHost["clock"];
  readonly known: KnownAdapter | undefined;
}

/** How long a call may take: large files need time, and adapters have no limit of their own. */
const MAX_CALL_MS = 2 * 60_000;

/**
 * Calls the adapter; rejects with a `PlatformFailure`. An adapter cannot be interrupted: when the signal fires or the time is up, the call is abandoned, and it may
 * be carried out.
 */
export async function callAdapter<T>(call: () => Promise<T>, { signal }: CallOptions, { clock, known }: AdapterCalls): Promise<T> {
  const deadline = new AbortController();
  using _timer = clock.schedule(MAX_CALL_MS, () => deadline.abort());
  try {
    return await raceAbort(call(), { signal: AbortSignal.any([signal, deadline.signal]) });
  } catch (error) {
    if (signal.aborted)
      throw new PlatformFailure({ type: "no-answer" }, "the call was ended before the adapter answered", { cause: error });
    if (deadline.signal.aborted)
      throw new PlatformFailure({ type: "no-answer" }, "the adapter did not answer within two minutes", { cause: error });
    throw toFailure(error, known);
  }
}
