import type { Clock } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, Channel, Media } from "@factotum/channel-contract";
import { FETCH_MAX_BYTES, FETCH_TIMEOUT_MS } from "../media-limits.ts";

/** An attachment's bytes, or why they are missing. */
export type FetchedAttachment =
  | { readonly type: "fetched"; readonly media: Media }
  | { readonly type: "failed"; readonly reason: "too-large" | "unavailable"; readonly message: string };

const MAX_TRIES = 3;
const RETRY_DELAY_MS = 1_000;

/** Fetches one attachment within its limits, with retries if the platform allows it. Never rejects. */
export async function fetchAttachment(
  ref: AttachmentRef,
  options: {
    readonly channel: Pick<Channel, "fetchAttachment"> | undefined;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
  },
): Promise<FetchedAttachment> {
  const { channel, clock, timeoutMs = FETCH_TIMEOUT_MS } = options;
  const maxBytes = FETCH_MAX_BYTES[ref.kind];
  if (channel === undefined) return unavailable("the channel is not connected");
  if ((ref.sizeBytes ?? 0) > maxBytes) return tooLarge(maxBytes);
  const limit = new AbortController();
  using _timer = clock.schedule(timeoutMs, () => limit.abort(new Error("it took too long")));
  const signal = AbortSignal.any([options.signal, limit.signal]);
  for (let tries = 1; ; tries++) {
    try {
      const media = await orAborted(channel.fetchAttachment(ref, { maxBytes, signal }), signal);
      return media.bytes.length > maxBytes ? tooLarge(maxBytes) : { type: "fetched", media };
    } catch (error) {
      if (ChannelError.isInstance(error) && error.code === "too-long") return tooLarge(maxBytes);
      const delayMs = signal.aborted || tries === MAX_TRIES ? undefined : retryDelayMs(error, tries);
      if (delayMs === undefined) return unavailable(error instanceof Error ? error.message : "it failed for an unknown reason");
      await pause(delayMs, clock, signal);
    }
  }
}

function unavailable(message: string): FetchedAttachment {
  return { type: "failed", reason: "unavailable", message };
}

function tooLarge(maxBytes: number): FetchedAttachment {
  return { type: "failed", reason: "too-large", message: `it has more than ${maxBytes} bytes` };
}

function retryDelayMs(error: unknown, tries: number): number | undefined {
  if (!ChannelError.isInstance(error) || error.retry.type === "never") return undefined;
  return error.retry.type === "after" ? error.retry.delayMs : RETRY_DELAY_MS * tries;
}

/** A channel that ignores its signal does not block the turn. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.schedule(delayMs, resolve);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
}
