import type { CallOptions, ChannelHost, Conversation, Sender } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import type { UnreadableEvents } from "@factotum/channel-kit";
import type * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import type { GuildRoles } from "../context/guild-roles.ts";
import type { Places } from "../context/places.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import { ChangedChannelSchema, DeleteSchema, EditedSchema, MessageSchema, ReactionSchema, VoteSchema } from "./event-schema.ts";
import type { AcceptInteraction } from "./accept-interaction.ts";
import type { AcceptedEvent, ReadEvent } from "./accepted-event.ts";
import { parseDelete, parseReaction, parseVote } from "./parse-events.ts";
import type { EventContext } from "./parse-events.ts";
import { isWritten, parseEdit, parseMessage } from "./parse-message.ts";
import type { ParseContext } from "./parse-message.ts";
import type { TextContext } from "./parse-text.ts";
import type { DiscordMessage, DiscordVote } from "./platform-types.ts";

/** One event of the platform. */
interface PlatformEvent {
  readonly name: string;
  readonly data: unknown;
  /** The same for every delivery of the event. */
  readonly eventId: string;
}

/** Takes an event when it arrives. */
export type AcceptEvent = (event: PlatformEvent, bot: Bot) => AcceptedEvent;

/** What the reading of events needs. */
export interface AcceptParts {
  readonly host: ChannelHost;
  readonly places: Places;
  readonly roles: GuildRoles;
  readonly rows: StoredRows;
  readonly interactions: AcceptInteraction;
  readonly unreadable: UnreadableEvents;
}

/** Attempts to learn the channel of a thread, over about two minutes; then the thread counts as a channel. */
const MAX_PLACE_ATTEMPTS = 8;
/** Authors of messages that are remembered for deletions, which do not name them. */
const MAX_AUTHORS = 5_000;
const EVENT_WAIT_MS = 2_000;

/** Creates the reader of an account's events; `signal` ends its requests. */
export function createAcceptEvent(parts: AcceptParts, { signal }: CallOptions): AcceptEvent {
  const reader = new EventReader(parts, { signal });
  return (event, bot) => {
    if (event.name === "INTERACTION_CREATE") return parts.interactions(event.data, bot);
    return { read: (attempt) => reader.read(event, bot, attempt), settle: () => undefined };
  };
}

/** Where an event happened, as the platform names it. */
interface EventPlace {
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
}

class EventReader {
  readonly #parts: AcceptParts;
  readonly #options: CallOptions;
  readonly #authors = createBoundedMap<string, Sender>(MAX_AUTHORS);

  constructor(parts: AcceptParts, options: CallOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async read({ name, data, eventId }: PlatformEvent, bot: Bot, attempt: number): Promise<readonly ReadEvent[]> {
    const { host, places } = this.#parts;
    const contextAt = async (place: EventPlace): Promise<EventContext> => ({
      accountId: host.accountId,
      eventId,
      conversation: await this.#conversation(place, attempt),
    });
    switch (name) {
      case "MESSAGE_CREATE":
        return this.#parsed(MessageSchema, data, async (message) => this.#message(message, bot, attempt));
      case "MESSAGE_UPDATE":
        return this.#edit(data, bot, attempt);
      case "MESSAGE_DELETE":
      case "MESSAGE_DELETE_BULK":
        return this.#parsed(DeleteSchema, data, async (event) => this.#deleted(event.ids, async () => contextAt(event)));
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE":
        return this.#parsed(ReactionSchema, data, async (event) => {
          if (event.user_id === bot.id) return [];
          const context = { ...(await contextAt(event)), botId: bot.id, removed: name === "MESSAGE_REACTION_REMOVE" };
          return [{ message: parseReaction(event, context) }];
        });
      case "MESSAGE_POLL_VOTE_ADD":
      case "MESSAGE_POLL_VOTE_REMOVE":
        return this.#parsed(VoteSchema, data, async (event) => this.#vote(event, { isAdded: name === "MESSAGE_POLL_VOTE_ADD", contextAt }));
      case "CHANNEL_UPDATE":
      case "CHANNEL_DELETE":
      case "THREAD_UPDATE":
      case "THREAD_DELETE": {
        const changed = ChangedChannelSchema.safeParse(data).data;
        if (changed !== undefined) places.forget(changed.id);
        return [];
      }
      default:
        return [];
    }
  }

  async #parsed<T>(schema: z.ZodType<T>, data: unknown, read: (event: T) => Promise<readonly ReadEvent[]>): Promise<readonly ReadEvent[]> {
    const parsed = schema.safeParse(data);
    if (parsed.success) return read(parsed.data);
    const [issue] = parsed.error.issues;
    this.#parts.unreadable.record(`it does not have the documented form: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
    return [];
  }

  async #message(message: DiscordMessage, bot: Bot, attempt: number): Promise<readonly ReadEvent[]> {
    if (!isWritten(message) || message.author.id === bot.id) return [];
    const parsed = parseMessage(message, await this.#context(message, bot, attempt));
    if (parsed === undefined) return [];
    this.#authors.set(message.id, parsed.sender);
    return [{ message: parsed }];
  }

  /** The platform also changes messages by itself, such as when it adds the preview of a link: then nothing was edited. */
  async #edit(data: unknown, bot: Bot, attempt: number): Promise<readonly ReadEvent[]> {
    if (EditedSchema.safeParse(data).data === undefined) return [];
    return this.#parsed(MessageSchema, data, async (message) => {
      if (!isWritten(message) || message.author.id === bot.id) return [];
      return [{ message: parseEdit(message, await this.#context(message, bot, attempt)) }];
    });
  }

  async #deleted(ids: readonly string[], contextOf: () => Promise<EventContext>): Promise<readonly ReadEvent[]> {
    const known = ids.flatMap((id) => {
      const sender = this.#authors.get(id);
      return sender === undefined ? [] : [{ id, sender }];
    });
    if (known.length === 0) return [];
    const context = await contextOf();
    return known.map(({ id, sender }) => ({ message: parseDelete(id, sender, context) }));
  }

  /** Each answer is an event of its own: the others that the person gave are in the account's state. */
  async #vote(
    event: DiscordVote,
    { isAdded, contextAt }: { readonly isAdded: boolean; readonly contextAt: (place: EventPlace) => Promise<EventContext> },
  ): Promise<readonly ReadEvent[]> {
    const { rows } = this.#parts;
    const { message_id: target, user_id: userId, answer_id: answer } = event;
    const poll = await rows.poll(target);
    if (poll === undefined) return [];
    const others = (await rows.votes(target, userId)).filter((one) => one !== answer);
    const answers = (isAdded ? [...others, answer] : others).toSorted((left, right) => left - right);
    const options = answers.flatMap((number) => poll[number - 1] ?? []);
    const message = parseVote({ userId, target, options }, await contextAt(event));
    return [{ message, state: [rows.voteChange(target, userId, answers)] }];
  }

  async #context(message: DiscordMessage, bot: Bot, attempt: number): Promise<ParseContext> {
    const [conversation, text] = await Promise.all([this.#conversation(message, attempt), this.#textContext(message, bot)]);
    return { accountId: this.#parts.host.accountId, conversation, ...text };
  }

  /** Roles are asked for only where a message names some; without an answer in time they have no names. */
  async #textContext({ guild_id: guildId, mention_roles: named }: DiscordMessage, bot: Bot): Promise<TextContext> {
    if (named.length === 0 || guildId === undefined) return { bot, roles: new Map(), botRoles: new Set() };
    const { roles, host } = this.#parts;
    const limit = new AbortController();
    using _timer = host.clock.schedule(EVENT_WAIT_MS, () => limit.abort());
    const found = (await roles.get(guildId, { signal: AbortSignal.any([this.#options.signal, limit.signal]) })) ?? [];
    return {
      bot,
      roles: new Map(found.map(({ id, name }) => [id, name])),
      botRoles: new Set(found.filter(({ botId }) => botId === bot.id).map(({ id }) => id)),
    };
  }

  async #conversation({ channel_id: id, guild_id: guildId }: EventPlace, attempt: number): Promise<Conversation> {
    const { places, host } = this.#parts;
    try {
      return await places.conversationOf({ id, guildId }, this.#options);
    } catch (error) {
      if (attempt < MAX_PLACE_ATTEMPTS) throw error;
      host.logger.warn("discord channel could not be asked for; if it is a thread, it counts as a channel", { channel: id });
      return { kind: "channel", id, ...(guildId !== undefined && { spaceId: guildId }) };
    }
  }
}
