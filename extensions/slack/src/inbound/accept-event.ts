import type { CallOptions, ChannelHost, ConversationKind } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import type { Bot, SlackBot } from "../api/bot-identity.ts";
import type { Lookups } from "../context/lookups.ts";
import { namedKind } from "../conversation-id.ts";
import { acceptInteraction } from "./accept-interaction.ts";
import type { Delivery } from "./accept-interaction.ts";
import { EventBodySchema, MessageEventSchema } from "./event-schema.ts";
import type { EventBody } from "./event-schema.ts";
import { markedPeople } from "./mention-marks.ts";
import { isOwn, isWritten, parseMessage, textOf } from "./parse-message.ts";
import { PLATFORM_EVENTS } from "./platform-events.ts";

/** Passes one authentic delivery to the gateway. Rejects if it could not be stored, or the bot's own id is not known: the platform sends it again. */
export type AcceptDelivery = (delivery: Delivery, options: CallOptions) => Promise<EventOutcome>;

/** Conversations whose kind is remembered; of others it is looked up. */
const MAX_KINDS = 2_000;

interface AcceptParts {
  readonly host: ChannelHost;
  readonly bot: SlackBot;
  readonly lookups: Lookups;
}

/** Creates the single entry point for both transports. */
export function createAcceptDelivery({ host, bot, lookups }: AcceptParts): AcceptDelivery {
  const kinds = createBoundedMap<string, ConversationKind>(MAX_KINDS);
  const kindOf = async (id: string, named: { readonly type?: string | undefined }, options: CallOptions): Promise<ConversationKind> => {
    const known = namedKind({ id, ...named }) ?? kinds.get(id);
    if (known !== undefined) return known;
    const info = await lookups.forEvent(lookups.conversations, id, options);
    return info?.isGroup === true ? "group" : "channel";
  };
  const acceptEvent = async ({ event_id: eventId, event }: EventBody, self: Bot, options: CallOptions): Promise<EventOutcome> => {
    const { type } = event;
    const subtype = typeof event["subtype"] === "string" ? event["subtype"] : undefined;
    if (type !== "message" || !isWritten({ subtype })) {
      const name = type === "message" ? `message/${subtype ?? ""}` : type;
      const reader = Object.hasOwn(PLATFORM_EVENTS, name) ? PLATFORM_EVENTS[name] : undefined;
      const read = await reader?.(event, { eventId, accountId: host.accountId, bot: self, lookups, kindOf }, options);
      if (read === undefined) return { type: "ignored", reason: `nothing is done with ${name.slice(0, 80)}` };
      return read.type === "ignored" ? read : { type: await host.receive(read.message) };
    }
    const parsed = MessageEventSchema.safeParse(event);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return {
        type: "unreadable",
        reason: `it is not a message that can be read: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
      };
    }
    const message = parsed.data;
    if (isOwn(message, self)) return { type: "ignored", reason: "it is the bot's own" };
    const people = [
      textOf(message),
      ...message.attachments.map(({ text }) => (text ?? "").replaceAll(/<@([A-Z0-9]+)[^>]*>/g, "\uE000$1\uE001")),
    ];
    const [kind, names] = await Promise.all([
      kindOf(message.channel, { type: message.channel_type }, options),
      lookups.namesForEvent(
        markedPeople(people.join(" ")).filter((id) => id !== self.userId),
        options,
      ),
    ]);
    kinds.set(message.channel, kind);
    const context = { eventId, accountId: host.accountId, bot: self, kind, names, nowMs: host.clock.now() };
    const received = parseMessage(message, context);
    return received === undefined ? { type: "ignored", reason: "it has no author" } : { type: await host.receive(received) };
  };

  return async (delivery, options) => {
    if (delivery.type !== "event") return acceptInteraction(delivery, { host, bot }, options);
    const body = EventBodySchema.safeParse(delivery.payload);
    if (!body.success) return { type: "ignored", reason: "it is not an event" };
    const self = await bot.getForEvent(options);
    const teams = [body.data.team_id, ...body.data.authorizations.map(({ team_id: team }) => team)].filter(
      (team) => typeof team === "string",
    );
    if (teams.length > 0 && !teams.includes(self.teamId)) return { type: "other-account" };
    return acceptEvent(body.data, self, options);
  };
}
