import type { CallOptions, ChannelHost, MsgContext } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import type { FeishuBot } from "../api/bot-identity.ts";
import type { MessagePlace } from "../context/lookup-api.ts";
import { EnvelopeSchema, MessageEventSchema, MessageWrapperSchema } from "./event-schema.ts";
import type { Envelope } from "./event-schema.ts";
import type { KnownChats } from "./known-chats.ts";
import { KnownThreads } from "./known-threads.ts";
import { needsBot, parseMessage } from "./parse-message.ts";
import { PLATFORM_EVENTS } from "./platform-events.ts";

/** Passes one verified event to the gateway. Rejects if it could not be stored, or not be parsed without the bot's own id: the platform sends it again. */
export type AcceptEvent = (payload: unknown, options: CallOptions) => Promise<EventOutcome>;

/** Creates the single entry point for events of both transports. */
export function createAcceptEvent(parts: {
  readonly appId: string;
  readonly host: ChannelHost;
  readonly bot: FeishuBot;
  readonly chats: KnownChats;
  readonly placeOf: (messageId: string, options: CallOptions) => Promise<MessagePlace | undefined>;
}): AcceptEvent {
  const { appId, host, bot, chats, placeOf } = parts;
  const threads = new KnownThreads(host);
  /** Other events do not say in which kind of chat they happened: it is known for chats with at least one message. */
  const acceptOther = async (header: Envelope["header"], event: unknown, options: CallOptions): Promise<EventOutcome> => {
    const reader = Object.hasOwn(PLATFORM_EVENTS, header.event_type) ? PLATFORM_EVENTS[header.event_type] : undefined;
    if (reader === undefined) return { type: "ignored", reason: `nothing is done with ${header.event_type.slice(0, 80)}` };
    const context = { eventId: header.event_id, accountId: host.accountId, timestampMs: header.create_time, bot, chats, placeOf };
    const read = await reader.read(event, context, options);
    if (read === undefined) return { type: "ignored", reason: `it is no ${header.event_type} that can be read` };
    if (read.type === "ignored") return read;
    const outcomes: ("accepted" | "duplicate")[] = [];
    for (const one of read.events) outcomes.push(await host.receive(one));
    return { type: outcomes.includes("accepted") ? "accepted" : "duplicate" };
  };
  const receive = async (message: MsgContext): Promise<EventOutcome> => {
    const { conversation } = message.origin;
    const state = [...chats.learn(conversation), ...(await threads.learn(message))];
    const type = await host.receive(message, state.length === 0 ? {} : { state });
    chats.keep(conversation);
    return { type };
  };
  return async (payload, options) => {
    const envelope = EnvelopeSchema.safeParse(payload);
    if (!envelope.success)
      return {
        type: isMessage(payload) ? "unreadable" : "ignored",
        reason: "it is not an event of schema 2.0; subscribe to the event's v2.0 in the console",
      };
    const { header, event } = envelope.data;
    if (header.app_id !== appId) return { type: "other-account" };
    if (header.event_type !== "im.message.receive_v1") return acceptOther(header, event, options);
    const message = MessageEventSchema.safeParse(event);
    if (!message.success) {
      const [issue] = message.error.issues;
      const place = issue?.path.join(".") ?? "";
      return { type: "unreadable", reason: `it is not a message that can be read: ${place}: ${issue?.message ?? "unknown"}` };
    }

    const self = needsBot(message.data) ? await bot.getForEvent(options) : bot.known;
    const parsed = parseMessage(message.data, { eventId: header.event_id, accountId: host.accountId, bot: self });
    if (parsed.type === "ignored") return parsed;
    return receive(parsed.message);
  };
}

/** True if an event with an invalid wrapper claims to be a message of schema 2.0. */
function isMessage(payload: unknown): boolean {
  return MessageWrapperSchema.safeParse(payload).success;
}
