import type { CallOptions, ChannelHost, MessageId, SendReceipt } from "@factotum/channel-contract";
import { delayOf } from "./error-classifier.ts";
import { raceAbort } from "./race-abort.ts";
import { reasonOf } from "./reason-of.ts";

/** How the messages of one text are sent. */
export interface SendInPartsOptions<Part> extends CallOptions {
  readonly clock: ChannelHost["clock"];
  /** Sends one part; `index` counts from 0. Called a second time for a part that the platform's rate limit refused. */
  readonly send: (part: Part, index: number) => Promise<MessageId>;
}

/** The rest of a text waits as long as the platform says, but no longer. */
const MAX_WAIT_MS = 30_000;

/**
 * Sends a text that takes several messages, one after the other. Rejects with the failure of the first part: nothing is shown. Later parts wait once each for
 * the platform's rate limit, up to 30 s; if one fails, the receipt is ambiguous and the rest is not sent.
 */
export async function sendInParts<Part>(parts: readonly Part[], { clock, send, signal }: SendInPartsOptions<Part>): Promise<SendReceipt> {
  const messageIds: MessageId[] = [];
  for (const [index, part] of parts.entries()) {
    try {
      const attempt = async (): Promise<MessageId> => send(part, index);
      messageIds.push(await (index === 0 ? attempt() : attemptWithWait(attempt, clock, { signal })));
    } catch (error) {
      if (index === 0) throw error;
      return { type: "ambiguous", cause: `only a part of it was shown: ${reasonOf(error)}` };
    }
  }
  return { type: "accepted", messageIds };
}

async function attemptWithWait(attempt: () => Promise<MessageId>, clock: ChannelHost["clock"], options: CallOptions): Promise<MessageId> {
  try {
    return await attempt();
  } catch (error) {
    const delayMs = delayOf(error);
    if (delayMs === undefined || delayMs > MAX_WAIT_MS) throw error;
    const { promise, resolve } = Promise.withResolvers<void>();
    using _timer = clock.schedule(delayMs, resolve);
    await raceAbort(promise, options);
    return attempt();
  }
}
