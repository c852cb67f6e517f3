import type { ChannelHost } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import { readEvent } from "./event-schema.ts";
import { parseEvent } from "./parse-event.ts";
import type { EventFacts } from "./parse-event.ts";

/** A genuine request. */
export interface SignedBody extends Omit<EventFacts, "accountId"> {
  readonly payload: unknown;
}

/** Passes one event on; resolves after the commit, and rejects if it was not stored. */
export async function acceptEvent({ payload, ...facts }: SignedBody, host: ChannelHost): Promise<EventOutcome> {
  const read = readEvent(payload);
  if (read.type === "malformed") return { type: "unreadable", reason: read.reason };
  if (read.type === "other") return { type: "ignored", reason: "an event of another type" };
  const message = parseEvent(read.event, { ...facts, accountId: host.accountId });
  if (message === undefined) return { type: "ignored", reason: "the assistant's own message" };
  return { type: await host.receive(message) };
}
