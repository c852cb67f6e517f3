import type { CallOptions, Card, ChannelHost, Media, Mention, MessageId, Outbound, Poll, SendReceipt } from "@factotum/channel-contract";
import { createEmojiNames, createSendQueue, filesProblem, rejectedReceipt, sendInParts, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import type { DiscordApi } from "../api/discord-api.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_POLL_OPTIONS, MAX_TEXT_LENGTH } from "../capabilities.ts";
import { isRefusal, toReceipt } from "../errors.ts";
import { parseReplyContext } from "../inbound/reply-context.ts";
import { requireMessageId } from "../snowflake.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import type { MessageApi, NewMessage, SendPlace } from "./message-api.ts";
import { messageBody } from "./message-body.ts";
import { renderButtons, renderCard } from "./render-card.ts";
import { renderText } from "./render-text.ts";
import type { RenderedText } from "./render-text.ts";

interface SendParts {
  readonly api: DiscordApi;
  readonly host: ChannelHost;
  readonly messages: MessageApi;
  readonly rows: StoredRows;
}

/** One send with what it needs. */
interface Send {
  readonly place: Omit<SendPlace, "part">;
  readonly options: CallOptions;
}

type Extracted<Type extends Outbound["type"]> = Extract<Outbound, { type: Type }>;

const EMOJI = createEmojiNames();
const MAX_QUESTION_LENGTH = 300;
const MAX_ANSWER_LENGTH = 55;
const MAX_POLL_HOURS = 768;
const HOUR_MS = 60 * 60_000;

/** Creates a sender: one call after the other per place, places side by side. */
export function createSender(parts: SendParts): Sender {
  const queue = createSendQueue(parts.host, { toReceipt });
  return {
    send({ conversation: { id, threadId } }, outbound, { signal, idempotencyKey: key, replyContext }) {
      const channel = threadId ?? id;
      return queue.run({ key: channel, outbound, signal }, async (options) => {
        const interaction = parseReplyContext(replyContext)?.interaction;
        return dispatch(parts, outbound, { place: { channel, key, interaction }, options });
      });
    },
    stop: (options) => queue.stop(options),
  };
}

async function dispatch(parts: SendParts, outbound: Outbound, send: Send): Promise<SendReceipt> {
  const { api, messages } = parts;
  const { place, options } = send;
  switch (outbound.type) {
    case "text":
      return sendText(parts, outbound, send);
    case "card":
      return sendCard(parts, outbound, send);
    case "edit":
      return editText(parts, outbound, send);
    case "edit-card": {
      const card = renderCard(outbound.card);
      if (card.type === "over-limit") return rejectedReceipt("too-long", card.limit);
      // Checked before the buttons of a card that does not exist are kept.
      requireMessageId(outbound.targetId);
      const body = messageBody(card.text, { components: await componentsOf(parts, outbound.card) });
      await messages.edit(place.channel, outbound.targetId, body, options);
      return accepted(outbound.targetId);
    }
    case "delete":
      await messages.remove(place.channel, outbound.targetId, options);
      return accepted(outbound.targetId);
    case "reaction":
      return react(parts, outbound, send);
    case "media":
      return sendFiles(
        parts,
        { media: [outbound.media], caption: outbound.caption, replyTo: outbound.replyTo, silent: outbound.silent },
        send,
      );
    case "album":
      return sendFiles(parts, outbound, send);
    case "poll":
      return sendPoll(parts, outbound.poll, send);
    case "typing":
      await api.call("the sign of typing", (sdk, given) => sdk.channels.showTyping(place.channel, given), options);
      return { type: "accepted", messageIds: [] };
    case "stream":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

function accepted(...messageIds: readonly MessageId[]): SendReceipt {
  return { type: "accepted", messageIds };
}

async function sendText(
  parts: SendParts,
  { text, mentions, replyTo, silent, onlyFor }: Extracted<"text">,
  send: Send,
): Promise<SendReceipt> {
  if (onlyFor !== undefined) return rejectedReceipt("rejected", "this channel sends no text to one person of a channel");
  const rendered = rendering(text, mentions);
  return "type" in rendered ? rendered : texts(parts, rendered, { replyTo, silent }, send);
}

async function sendCard(parts: SendParts, { card, replyTo, silent, onlyFor }: Extracted<"card">, send: Send): Promise<SendReceipt> {
  if (onlyFor !== undefined) return rejectedReceipt("rejected", "this channel sends no card to one person of a channel");
  const rendered = renderCard(card);
  if (rendered.type === "over-limit") return rejectedReceipt("too-long", rendered.limit);
  const body = messageBody(rendered.text, { silent, components: await componentsOf(parts, card) });
  return accepted(await parts.messages.post({ body, replyTo }, { ...send.place, part: 0 }, send.options));
}

/** The buttons of a card; what they say is on disk before they are shown. */
async function componentsOf({ rows }: SendParts, card: Card): Promise<readonly object[]> {
  return renderButtons(card.buttons ?? [], await rows.cards.keep(card));
}

/** Renders a text, or the receipt if it cannot be sent. */
function rendering(text: string, mentions: readonly Mention[] = []): RenderedText | (SendReceipt & { readonly type: "rejected" }) {
  const problem = textProblem(text, { maxLength: MAX_TEXT_LENGTH });
  if (problem !== undefined) return problem;
  const rendered = renderText(text, mentions);
  return rendered.messages.length === 0 ? rejectedReceipt("rejected", "the text shows nothing") : rendered;
}

/** Sends the messages of one text. */
async function texts(
  { messages: api, host }: SendParts,
  { messages, userIds }: RenderedText,
  {
    replyTo,
    silent,
    firstPart = 0,
  }: { readonly replyTo?: MessageId | undefined; readonly silent?: boolean | undefined; readonly firstPart?: number },
  { place, options }: Send,
): Promise<SendReceipt> {
  return sendInParts(messages, {
    ...options,
    clock: host.clock,
    send: async (content, index) => {
      const message: NewMessage = { body: messageBody(content, { userIds, silent }), ...(index === 0 && { replyTo }) };
      return api.post(message, { ...place, part: firstPart + index }, options);
    },
  });
}

/** Replaces a text by one message. What rendering makes too long, such as a wide table, is shown as it was written. */
async function editText({ messages }: SendParts, { targetId, text }: Extracted<"edit">, { place, options }: Send): Promise<SendReceipt> {
  const rendered = rendering(text);
  if ("type" in rendered) return rendered;
  const [content = text, ...more] = rendered.messages;
  await messages.edit(place.channel, targetId, messageBody(more.length === 0 ? content : text), options);
  return accepted(targetId);
}

async function react(
  { api }: SendParts,
  { targetId, emoji, removed }: Extracted<"reaction">,
  { place, options }: Send,
): Promise<SendReceipt> {
  const name = reactionOf(emoji);
  if (name === undefined) return rejectedReceipt("rejected", `Discord has no reaction ${emoji}`);
  const id = requireMessageId(targetId);
  try {
    await api.call(
      "the reaction",
      (sdk, given) =>
        removed
          ? sdk.channels.deleteOwnMessageReaction(place.channel, id, name, given)
          : sdk.channels.addMessageReaction(place.channel, id, name, given),
      options,
    );
  } catch (error) {
    // It is as it should be.
    if (!removed || !isRefusal(error, "10014")) throw error;
  }
  return accepted(targetId);
}

/** An emoji as the platform wants it: complete with its variation selector, or a server's own as `name:id`. */
function reactionOf(emoji: string): string | undefined {
  const [, own] = /^<?a?:?(\w{2,32}:\d{1,20})>?$/.exec(emoji) ?? [];
  if (own !== undefined) return own;
  if (/[\u{1F3FB}-\u{1F3FF}]/u.test(emoji)) return emoji;
  const name = EMOJI.nameOf(emoji);
  const known = name === undefined ? undefined : EMOJI.emojiOf(name);
  const shown = known ?? (/^[\x20-\x7E]*$/.test(emoji) ? undefined : emoji);
  // A sign that is text by default is an emoji only with its selector.
  return shown !== undefined && /^\p{Emoji}$/u.test(shown) && !/\p{Emoji_Presentation}/u.test(shown) ? `${shown}\uFE0F` : shown;
}

async function sendFiles(
  parts: SendParts,
  {
    media,
    caption = "",
    replyTo,
    silent,
  }: {
    readonly media: readonly Media[];
    readonly caption?: string | undefined;
    readonly replyTo?: MessageId | undefined;
    readonly silent?: boolean | undefined;
  },
  send: Send,
): Promise<SendReceipt> {
  const problem =
    filesProblem(media, { maxBytes: MAX_FILE_BYTES, maxFiles: MAX_FILES }) ??
    textProblem(caption, { maxLength: MAX_TEXT_LENGTH, mayBeEmpty: true });
  if (problem !== undefined) return problem;
  const {
    messages: [shown = "", ...more],
    userIds,
  } = renderText(caption);
  const body = messageBody(shown, { userIds, silent });
  const id = await parts.messages.post({ body, files: media, replyTo }, { ...send.place, part: 0 }, send.options);
  if (more.length === 0) return accepted(id);
  const rest = await texts(parts, { messages: more, userIds }, { silent, firstPart: 1 }, send).catch(toReceipt);
  if (rest.type === "accepted") return accepted(id, ...rest.messageIds);
  return { type: "ambiguous", cause: "the file is shown, and a part of its text is not" };
}

async function sendPoll(parts: SendParts, { question, options: answers, multiple, durationMs }: Poll, send: Send): Promise<SendReceipt> {
  if (answers.length > MAX_POLL_OPTIONS) return rejectedReceipt("too-long", `more than ${MAX_POLL_OPTIONS} options`);
  if (question.length > MAX_QUESTION_LENGTH)
    return rejectedReceipt("too-long", `the question has more than ${MAX_QUESTION_LENGTH} characters`);
  if (answers.some(({ length }) => length > MAX_ANSWER_LENGTH))
    return rejectedReceipt("too-long", `an option has more than ${MAX_ANSWER_LENGTH} characters`);
  const poll = {
    question: { text: question },
    answers: answers.map((text) => ({ poll_media: { text } })),
    allow_multiselect: multiple,
    duration: durationMs === undefined ? MAX_POLL_HOURS : Math.min(Math.max(Math.ceil(durationMs / HOUR_MS), 1), MAX_POLL_HOURS),
    layout_type: 1,
  };
  const id = await parts.messages.post({ body: messageBody(""), poll }, { ...send.place, part: 0 }, send.options);
  await parts.rows.keepPoll(id, answers);
  return accepted(id);
}
