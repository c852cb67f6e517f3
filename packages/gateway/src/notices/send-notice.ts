import type { MsgContext } from "@factotum/channel-contract";
import { planChatMessage } from "../delivery/plan-message.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { TurnServices } from "../services/turn-services.ts";

/** What the gateway says about a message that goes on its way. */
export interface Notice {
  /** At most one notice about each is sent for a message, however often this is called. */
  readonly about: "ended" | "wait";
  readonly text: string;
  /** It is a notice in the conversation's history too. */
  readonly isEntry: boolean;
  /** The send policy keeps it from the channel. */
  readonly suppressed: boolean;
}

/** Sends a notice to the chat of a message, as a reply to it. The gateway's own clients get no rows: they read the conversation. */
export async function sendNotice(
  services: Pick<TurnServices, "store" | "channels" | "clock" | "dispatcher" | "events">,
  sessionKey: string,
  { origin, messageId, eventId }: MsgContext,
  { about, text, isEntry, suppressed }: Notice,
): Promise<void> {
  const { store, channels, clock, dispatcher } = services;
  const identity = ["input", origin.channel, origin.accountId, origin.conversation.id, eventId, about];
  const rows = planChatMessage(
    { sessionKey, target: origin, text, purpose: "notice", replyTo: messageId, identity, nowMs: clock.now(), suppressed },
    channels,
  );
  if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows));
  const session = isEntry ? await store.readSession(sessionKey) : undefined;
  if (session === undefined) return;
  const entry = await store.appendEntry(session.sessionId, { type: "notice", level: "info", text }, { timestampMs: clock.now() });
  publishEntry(services, sessionKey, entry, undefined);
}
