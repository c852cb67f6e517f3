import type { AccountProgress, CallOptions, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { createBoundedMap, reasonOf } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import type { Bot, TelegramBot } from "../api/bot-identity.ts";
import type { TelegramApi } from "../api/telegram-api.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import { parseOwnMember, parsePress, parseReactions, parseServiceMessage, parseVote } from "./parse-events.ts";
import type { EventContext } from "./parse-events.ts";
import { joinAlbum, parseEdit, parseMessage } from "./parse-message.ts";
import { MessageSchema, OwnMemberSchema, PressSchema, ReactionSchema, UpdateSchema, VoteSchema } from "./update-schema.ts";
import type { TelegramMessage } from "./update-types.ts";

/** The types of updates that are asked for. */
export const ALLOWED_UPDATES: readonly string[] = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "callback_query",
  "message_reaction",
  "poll_answer",
  "my_chat_member",
];

/** Passes one update to the gateway, or the messages of one album, and commits `progress` with it. Rejects if it was not stored. */
export type AcceptUpdates = (updates: readonly unknown[], progress: AccountProgress, options: CallOptions) => Promise<EventOutcome>;

/** What the reading of updates needs. */
export interface AcceptParts {
  readonly host: ChannelHost;
  readonly api: TelegramApi;
  readonly bot: TelegramBot;
  readonly rows: StoredRows;
  readonly threads: MessageThreads;
}

/** The topics of messages that were seen: reactions do not name theirs. In memory. */
export interface MessageThreads {
  record(chatId: string, messageId: string, threadId: string | undefined): void;
  threadOf(chatId: string, messageId: string): string | undefined;
}

const MAX_THREADS = 5_000;
const PRESS_EXPIRED = "This button does not work any more.";

/** Creates an empty record. */
export function createMessageThreads(): MessageThreads {
  const known = createBoundedMap<string, string>(MAX_THREADS);
  return {
    record(chatId, id, threadId) {
      if (threadId !== undefined) known.set(`${chatId}/${id}`, threadId);
    },
    threadOf: (chatId, id) => known.get(`${chatId}/${id}`),
  };
}

/** What an update says. */
type ReadUpdate =
  | { readonly type: "messages"; readonly messages: readonly MsgContext[]; readonly press?: string }
  | { readonly type: "expired-press"; readonly press: string }
  | { readonly type: "ignored" | "unreadable"; readonly reason: string };

/** Creates the single entry point for both transports. */
export function createAcceptUpdates(parts: AcceptParts): AcceptUpdates {
  const { host, bot } = parts;
  return async (updates, progress, options) => {
    const self = await bot.getForEvent(options);
    const read = updates.length === 1 ? await readUpdate(parts, updates[0], self) : readAlbum(parts, updates, self);
    if (read.type === "expired-press") {
      await answerPress(parts, read.press, options, PRESS_EXPIRED);
      return { type: "ignored", reason: "its button is not known any more" };
    }
    if (read.type !== "messages") return read;
    let type: "accepted" | "duplicate" = "duplicate";
    for (const [index, message] of read.messages.entries()) {
      type = await host.receive(message, index === read.messages.length - 1 ? progress : {});
      const { id, threadId } = message.origin.conversation;
      parts.threads.record(id, message.messageId, threadId);
    }
    if (read.press !== undefined) await answerPress(parts, read.press, options);
    return read.messages.length === 0 ? { type: "ignored", reason: "nothing has changed" } : { type };
  };
}

/** Ends the sign of waiting on the button. It is stored by now, and the platform does not deliver it again: a failure changes nothing. */
async function answerPress({ api, host }: AcceptParts, id: string, options: CallOptions, text?: string): Promise<void> {
  const answer = { callback_query_id: id, ...(text !== undefined && { text }) };
  await api.call("answerCallbackQuery", answer, options).catch((error: unknown) => {
    host.logger.debug("telegram press not answered", { error: reasonOf(error) });
  });
}

async function readUpdate(parts: AcceptParts, update: unknown, bot: Bot): Promise<ReadUpdate> {
  const frame = UpdateSchema.safeParse(update);
  if (!frame.success) return { type: "unreadable", reason: "it is not an update" };
  const { update_id: updateId, ...rest } = frame.data;
  const type = Object.keys(rest)[0] ?? "";
  const body = rest[type];
  const context: EventContext = {
    accountId: parts.host.accountId,
    updateId,
    bot,
    threadOf: (chatId, id) => parts.threads.threadOf(String(chatId), String(id)),
  };
  switch (type) {
    case "message":
    case "channel_post":
      return readMessage(parts, body, context);
    case "edited_message":
    case "edited_channel_post":
      return readEdit(parts, body, context);
    case "callback_query":
      return readPress(parts, body, context);
    case "message_reaction": {
      const parsed = ReactionSchema.safeParse(body);
      return parsed.success ? { type: "messages", messages: parseReactions(parsed.data, context) } : unreadable(parsed.error);
    }
    case "my_chat_member": {
      const parsed = OwnMemberSchema.safeParse(body);
      return parsed.success ? { type: "messages", messages: parseOwnMember(parsed.data, context) } : unreadable(parsed.error);
    }
    case "poll_answer": {
      const parsed = VoteSchema.safeParse(body);
      if (!parsed.success) return unreadable(parsed.error);
      const poll = await parts.rows.poll(parsed.data.poll_id);
      const vote = poll === undefined ? undefined : parseVote(parsed.data, poll, context);
      return vote === undefined ? { type: "ignored", reason: "it is a vote in an unknown poll" } : { type: "messages", messages: [vote] };
    }
    default:
      return ignored(type);
  }
}

function readMessage({ host }: AcceptParts, body: unknown, context: EventContext): ReadUpdate {
  const parsed = MessageSchema.safeParse(body);
  if (!parsed.success) return unreadable(parsed.error);
  const message = parsed.data;
  if (isOwn(message, context.bot)) return { type: "ignored", reason: "it is the bot's own" };
  const service = parseServiceMessage(message, context);
  if (service !== undefined) return { type: "messages", messages: service };
  const received = parseMessage(message, context.updateId, { ...context, commands: host.commands.list() });
  return received === undefined ? { type: "ignored", reason: "it shows nothing" } : { type: "messages", messages: [received] };
}

function readEdit({ host }: AcceptParts, body: unknown, context: EventContext): ReadUpdate {
  const parsed = MessageSchema.safeParse(body);
  if (!parsed.success) return unreadable(parsed.error);
  const message = parsed.data;
  if (isOwn(message, context.bot)) return { type: "ignored", reason: "it is the bot's own" };
  // A live location is edited all the time.
  const edit =
    message.location === undefined ? parseEdit(message, context.updateId, { ...context, commands: host.commands.list() }) : undefined;
  return edit === undefined ? { type: "ignored", reason: "its text was not edited" } : { type: "messages", messages: [edit] };
}

async function readPress({ rows }: AcceptParts, body: unknown, context: EventContext): Promise<ReadUpdate> {
  const parsed = PressSchema.safeParse(body);
  if (!parsed.success) return unreadable(parsed.error);
  const press = parsed.data;
  const stored = await rows.cards.find(press.data ?? "");
  const message = stored === undefined ? undefined : parsePress(press, stored.button, context);
  return message === undefined ? { type: "expired-press", press: press.id } : { type: "messages", messages: [message], press: press.id };
}

function readAlbum({ host }: AcceptParts, updates: readonly unknown[], bot: Bot): ReadUpdate {
  let fault: Fault | undefined;
  const messages = updates.flatMap((update) => {
    const frame = UpdateSchema.safeParse(update);
    const parsed = frame.success ? MessageSchema.safeParse(frame.data["message"] ?? frame.data["channel_post"]) : undefined;
    fault ??= frame.error ?? parsed?.error;
    if (!frame.success || parsed?.success !== true || isOwn(parsed.data, bot)) return [];
    return parseMessage(parsed.data, frame.data.update_id, { accountId: host.accountId, bot, commands: [] }) ?? [];
  });
  if (fault !== undefined) host.logger.warn("a part of an album cannot be read and is left out", { reason: faultText(fault) });
  const joined = joinAlbum(messages);
  if (joined === undefined && fault !== undefined) return unreadable(fault);
  return joined === undefined ? { type: "ignored", reason: "it shows nothing" } : { type: "messages", messages: [joined] };
}

/** The album of an update; `undefined` if it is not a part of one. */
export function albumOf(update: unknown): string | undefined {
  const { message, channel_post: post } = (typeof update === "object" ? (update ?? {}) : {}) as Readonly<Record<string, unknown>>;
  const { media_group_id: id, chat } = (message ?? post ?? {}) as {
    readonly media_group_id?: unknown;
    readonly chat?: { readonly id?: unknown };
  };
  return typeof id === "string" ? `${String(chat?.id)}/${id}` : undefined;
}

function isOwn({ from }: TelegramMessage, bot: Bot): boolean {
  return from !== undefined && String(from.id) === bot.id;
}

function ignored(type: string): ReadUpdate {
  return { type: "ignored", reason: `nothing is done with ${type.slice(0, 80)}` };
}

/** What does not fit, of a failed parse. */
interface Fault {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

function unreadable(fault: Fault): ReadUpdate {
  return { type: "unreadable", reason: faultText(fault) };
}

function faultText({ issues: [issue] }: Fault): string {
  return `it is not an event that can be read: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
}
