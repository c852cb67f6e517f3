import type { AccountProgress, ChannelHost, MsgContext } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import { readEvent } from "./event-schema.ts";
import { parseMessage } from "./parse-message.ts";

/** What an event is to this account. */
export type ReadEvent =
  | { readonly type: "message"; readonly message: MsgContext }
  | Exclude<EventOutcome, { type: "accepted" | "duplicate" }>;

/** Reads one event of the platform. Total: what is not a message for the gateway is an outcome with its reason. */
export function readMessage(payload: unknown, facts: { readonly accountId: string; readonly botId: string }): ReadEvent {
  const read = readEvent(payload);
  if (read.type === "malformed") return { type: "unreadable", reason: "this is no event" };
  if (read.botId !== facts.botId) return { type: "other-account" };
  if (read.type === "other") return { type: "ignored", reason: "an event of another kind" };
  const message = parseMessage(read.event, facts);
  return message === undefined ? { type: "ignored", reason: "the bot's own message" } : { type: "message", message };
}

/** Passes one event on; resolves after the commit, and rejects if it was not stored. */
export async function acceptEvent(
  payload: unknown,
  facts: { readonly botId: string; readonly host: ChannelHost; readonly progress?: AccountProgress },
): Promise<EventOutcome> {
  const { host, botId, progress } = facts;
  const read = readMessage(payload, { accountId: host.accountId, botId });
  return read.type === "message" ? { type: await host.receive(read.message, progress) } : read;
}
