import type { CallOptions, ChannelHost, Media, MessageId, Origin, Outbound, Poll, SendReceipt } from "@factotum/channel-contract";
import {
  createBoundedMap,
  createSendQueue,
  escapeHtml,
  filesProblem,
  rejectedReceipt,
  sendInParts,
  textProblem,
} from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import * as z from "zod";
import type { TelegramApi } from "../api/telegram-api.ts";
import { MAX_CAPTION_LENGTH, MAX_FILE_BYTES, MAX_FILES, MAX_POLL_OPTIONS, MAX_TEXT_LENGTH } from "../capabilities.ts";
import { isRefusal, TelegramRefusal, toReceipt } from "../errors.ts";
import type { MessageThreads } from "../inbound/accept-update.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import { callWithHtml, placeOf, requireMessageNumber, sentId } from "./message-api.ts";
import type { Place } from "./message-api.ts";
import { reactionEmoji } from "./reaction-emoji.ts";
import { renderCard, renderKeyboard } from "./render-card.ts";
import { renderHtml } from "./render-text.ts";
import { sendAlbum, sendFile } from "./send-files.ts";

interface SendParts {
  readonly api: TelegramApi;
  readonly host: ChannelHost;
  readonly rows: StoredRows;
  /** The bot's reaction to a message: it has one at most. */
  readonly reactions: Map<string, string>;
}

const PollSchema = z.looseObject({ poll: z.looseObject({ id: z.string() }) });
const MIN_POLL_SECONDS = 5;
const MAX_POLL_SECONDS = 2_628_000;
const MAX_QUESTION_LENGTH = 300;
const MAX_OPTION_LENGTH = 100;
const MAX_REACTIONS = 2_000;

/** Creates a sender: one call after the other per chat, chats side by side. */
export function createSender(parts: Pick<SendParts, "api" | "host" | "rows"> & { readonly threads: MessageThreads }): Sender {
  const { host, threads } = parts;
  const queue = createSendQueue(host, { toReceipt });
  const sendParts: SendParts = { ...parts, reactions: createBoundedMap(MAX_REACTIONS) };
  return {
    send: (target, outbound, { signal }) =>
      queue.run({ key: target.conversation.id, outbound, signal }, async (options) => {
        const receipt = await followMove(target, async (at) => dispatch(sendParts, at, outbound, options));
        const { id, threadId } = target.conversation;
        if (receipt.type === "accepted") for (const one of receipt.messageIds) threads.record(id, one, threadId);
        return receipt;
      }),
    stop: (options) => queue.stop(options),
  };
}

/** A group that has become a supergroup is refused with its new id, and nothing was shown. */
async function followMove(target: Origin, send: (target: Origin) => Promise<SendReceipt>): Promise<SendReceipt> {
  try {
    return await send(target);
  } catch (error) {
    if (!(error instanceof TelegramRefusal) || error.migratedTo === undefined) throw error;
    return send({ ...target, conversation: { ...target.conversation, id: error.migratedTo } });
  }
}

async function dispatch(parts: SendParts, target: Origin, outbound: Outbound, options: CallOptions): Promise<SendReceipt> {
  const { api } = parts;
  switch (outbound.type) {
    case "text": {
      if (outbound.onlyFor !== undefined) return rejectedReceipt("rejected", "this channel sends no text to one person of a group");
      const problem = textProblem(outbound.text, { maxLength: MAX_TEXT_LENGTH });
      if (problem !== undefined) return problem;
      const html = renderHtml(outbound.text, outbound.mentions === undefined ? {} : { mentions: outbound.mentions });
      if (html.length === 0) return rejectedReceipt("rejected", "the text shows nothing");
      return texts(parts, html, placeOf(target, outbound), options);
    }
    case "card": {
      if (outbound.onlyFor !== undefined) return rejectedReceipt("rejected", "this channel sends no card to one person of a group");
      const card = renderCard(outbound.card);
      if (card.type === "over-limit") return rejectedReceipt("too-long", card.limit);
      const message = { ...placeOf(target, outbound), text: card.html, ...(await keyboard(parts, outbound.card.buttons)) };
      return accepted(sentId(await callWithHtml(api, "sendMessage", message, options)));
    }
    case "edit":
      return edit(parts, target, outbound, options);
    case "edit-card": {
      const card = renderCard(outbound.card);
      if (card.type === "over-limit") return rejectedReceipt("too-long", card.limit);
      return change(parts, target, outbound.targetId, { html: card.html, ...(await keyboard(parts, outbound.card.buttons)) }, options);
    }
    case "delete": {
      const message = { chat_id: target.conversation.id, message_id: requireMessageNumber(outbound.targetId) };
      await api.call("deleteMessage", message, options);
      return accepted(outbound.targetId);
    }
    case "reaction":
      return react(parts, target, outbound, options);
    case "media":
      return files(parts, [outbound.media], { caption: outbound.caption, place: placeOf(target, outbound) }, options);
    case "album":
      return files(parts, outbound.media, { caption: outbound.caption, place: placeOf(target, outbound) }, options);
    case "poll":
      return sendPoll(parts, target, outbound.poll, options);
    case "typing": {
      const { chat_id, message_thread_id: thread } = placeOf(target);
      await api.call("sendChatAction", { chat_id, ...(thread !== undefined && { message_thread_id: thread }), action: "typing" }, options);
      return { type: "accepted", messageIds: [] };
    }
    case "stream":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

function accepted(...messageIds: readonly MessageId[]): SendReceipt {
  return { type: "accepted", messageIds };
}

/** Sends the messages of one text. */
async function texts({ api, host }: SendParts, html: readonly string[], place: Place, options: CallOptions): Promise<SendReceipt> {
  return sendInParts(html, {
    ...options,
    clock: host.clock,
    send: async (text) => sentId(await callWithHtml(api, "sendMessage", { ...place, text }, options)),
  });
}

/** Replaces a text by one message. What rendering makes too long, such as a wide table, is shown as it was written. */
async function edit(
  parts: SendParts,
  target: Origin,
  { targetId, text }: Extract<Outbound, { type: "edit" }>,
  options: CallOptions,
): Promise<SendReceipt> {
  const problem = textProblem(text, { maxLength: MAX_TEXT_LENGTH });
  if (problem !== undefined) return problem;
  const [html, ...more] = renderHtml(text);
  if (html === undefined) return rejectedReceipt("rejected", "the text shows nothing");
  const shown = more.length === 0 ? html : escapeHtml(text);
  return change(parts, target, targetId, { html: shown }, options);
}

async function change(
  { api }: SendParts,
  target: Origin,
  targetId: MessageId,
  { html, ...markup }: { readonly html: string; readonly reply_markup?: object },
  options: CallOptions,
): Promise<SendReceipt> {
  const message = { chat_id: target.conversation.id, message_id: requireMessageNumber(targetId), ...markup };
  try {
    await callWithHtml(api, "editMessageText", { ...message, text: html }, options);
  } catch (error) {
    // It is as it should be.
    if (isRefusal(error, /message is not modified/)) return accepted(targetId);
    // The text of a file stands below it.
    if (!isRefusal(error, /no text in the message/)) throw error;
    await callWithHtml(api, "editMessageCaption", { ...message, caption: html }, options);
  }
  return accepted(targetId);
}

async function keyboard(
  { rows }: SendParts,
  buttons: NonNullable<Extract<Outbound, { type: "card" }>["card"]["buttons"]> = [],
): Promise<{ readonly reply_markup?: object }> {
  if (buttons.length === 0) return {};
  return { reply_markup: renderKeyboard(buttons, await rows.cards.keep({ buttons })) };
}

/** A bot has one reaction per message: another one replaces it, and taking back one that was replaced changes nothing. */
async function react(
  { api, reactions }: SendParts,
  target: Origin,
  { targetId, emoji, removed }: Extract<Outbound, { type: "reaction" }>,
  options: CallOptions,
): Promise<SendReceipt> {
  const { id } = target.conversation;
  const name = reactionEmoji(emoji);
  const key = `${id}/${targetId}`;
  const present = reactions.get(key);
  if (removed && present !== undefined && present !== name) return accepted(targetId);
  const reaction = removed ? [] : [{ type: "emoji", emoji: name }];
  await api
    .call("setMessageReaction", { chat_id: id, message_id: requireMessageNumber(targetId), reaction }, options)
    .catch((error: unknown) => {
      if (!removed || !isRefusal(error, /not modified/)) throw error;
    });
  if (removed) reactions.delete(key);
  else reactions.set(key, name);
  return accepted(targetId);
}

async function files(
  parts: SendParts,
  media: readonly Media[],
  { caption = "", place }: { readonly caption?: string | undefined; readonly place: Place },
  options: CallOptions,
): Promise<SendReceipt> {
  const problem =
    filesProblem(media, { maxBytes: MAX_FILE_BYTES, maxFiles: MAX_FILES }) ??
    textProblem(caption, { maxLength: MAX_TEXT_LENGTH, mayBeEmpty: true });
  if (problem !== undefined) return problem;
  const [below = "", ...more] = renderHtml(caption, { maxLength: MAX_CAPTION_LENGTH });
  // A text that does not fit below the file follows it whole.
  const shown = more.length === 0 ? below : "";
  const message = { place, caption: shown };
  const [first] = media;
  const ids =
    first !== undefined && media.length === 1
      ? [await sendFile(parts.api, { ...message, media: first }, options)]
      : await sendAlbum(parts.api, { ...message, media }, options);
  if (more.length === 0) return accepted(...ids);
  const { reply_parameters: _answered, ...rest } = place;
  const receipt = await texts(parts, renderHtml(caption), rest, options).catch(toReceipt);
  if (receipt.type === "accepted") return accepted(...ids, ...receipt.messageIds);
  return { type: "ambiguous", cause: "the file is shown, and its text is not" };
}

async function sendPoll({ api, rows }: SendParts, target: Origin, poll: Poll, options: CallOptions): Promise<SendReceipt> {
  const { question, options: answers, multiple, durationMs } = poll;
  if (answers.length > MAX_POLL_OPTIONS) return rejectedReceipt("too-long", `more than ${MAX_POLL_OPTIONS} options`);
  if (question.length > MAX_QUESTION_LENGTH)
    return rejectedReceipt("too-long", `the question has more than ${MAX_QUESTION_LENGTH} characters`);
  if (answers.some(({ length }) => length > MAX_OPTION_LENGTH))
    return rejectedReceipt("too-long", `an option has more than ${MAX_OPTION_LENGTH} characters`);
  const seconds =
    durationMs === undefined ? undefined : Math.min(Math.max(Math.round(durationMs / 1_000), MIN_POLL_SECONDS), MAX_POLL_SECONDS);
  const { conversation } = target;
  const result = await api.call(
    "sendPoll",
    {
      ...placeOf(target),
      question,
      options: answers.map((text) => ({ text })),
      allows_multiple_answers: multiple,
      // Without names the bot learns of no vote; a channel has no others.
      is_anonymous: conversation.kind === "channel",
      ...(seconds !== undefined && { open_period: seconds }),
    },
    options,
  );
  const id = sentId(result);
  const sent = PollSchema.safeParse(result);
  if (sent.success) await rows.keepPoll(sent.data.poll.id, { conversation, messageId: id, options: answers });
  return accepted(id);
}
