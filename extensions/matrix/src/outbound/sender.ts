import type { CallOptions, ChannelHost, MessageId, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, filesProblem, rejectedReceipt, sendInParts, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { MAX_FILE_BYTES, MAX_POLL_OPTIONS, MAX_TEXT_LENGTH } from "../capabilities.ts";
import type { KnownEvents } from "../context/known-events.ts";
import { isRoomId } from "../conversation-id.ts";
import { isRefusal, notFound, toChannelError, toReceipt } from "../errors.ts";
import type { RoomBook } from "../rooms/room-book.ts";
import { createMessageApi, transactionOf } from "./message-api.ts";
import type { MessageApi } from "./message-api.ts";
import { editContent, relationTo, textContent } from "./message-content.ts";
import type { OwnReactions } from "./own-reactions.ts";
import { POLL_TYPE, pollContent } from "./poll-content.ts";
import { renderText } from "./render-text.ts";
import type { RenderedText } from "./render-text.ts";
import { sendFile } from "./send-files.ts";

interface SendParts {
  readonly api: MatrixApi;
  readonly host: ChannelHost;
  readonly known: KnownEvents;
  readonly book: RoomBook;
  readonly reactions: OwnReactions;
  /** The bot's user id. */
  readonly userId: string;
}

/** One send on its way. */
interface Sending extends SendParts {
  readonly messages: MessageApi;
  readonly target: Origin;
  readonly key: string;
  readonly options: CallOptions;
}

/** Clients show the sign this long unless it is renewed. */
const TYPING_MS = 10_000;
const ENCRYPTED = "the room is encrypted, which is not supported";

/** Creates a sender: one call after the other per room, rooms side by side. */
export function createSender(parts: SendParts): Sender {
  const queue = createSendQueue(parts.host, { toReceipt });
  const messages = createMessageApi(parts);
  return {
    send: (target, outbound, { signal, idempotencyKey: key }) =>
      queue.run({ key: target.conversation.id, outbound, signal }, async (options) => {
        const { id } = target.conversation;
        if (!isRoomId(id)) throw notFound("there is no such room");
        const sending: Sending = { ...parts, messages, target, key, options };
        if (outbound.type === "typing") return typing(sending);
        // What is private elsewhere must not be shown without encryption.
        if ((await beforehand(parts.book.get(id, options))).isEncrypted) return rejectedReceipt("forbidden", ENCRYPTED);
        return dispatch(sending, outbound);
      }),
    stop: (options) => queue.stop(options),
  };
}

/** A request before a send: whatever its outcome, nothing is shown. */
async function beforehand<T>(question: Promise<T>): Promise<T> {
  return question.catch((error: unknown) => {
    throw toChannelError(error);
  });
}

async function dispatch(sending: Sending, outbound: Exclude<Outbound, { readonly type: "typing" }>): Promise<SendReceipt> {
  switch (outbound.type) {
    case "text": {
      if (outbound.onlyFor !== undefined) return rejectedReceipt("rejected", "this channel sends no text to one person of a room");
      const problem = textProblem(outbound.text, { maxLength: MAX_TEXT_LENGTH });
      if (problem !== undefined) return problem;
      const rendered = renderText(outbound.text, outbound.mentions === undefined ? {} : { mentions: outbound.mentions });
      if (rendered.length === 0) return rejectedReceipt("rejected", "the text shows nothing");
      return texts(sending, rendered, outbound.replyTo);
    }
    case "edit":
      return edit(sending, outbound);
    case "delete":
      await requireMessage(sending, outbound.targetId);
      await redact(sending, outbound.targetId);
      return accepted(outbound.targetId);
    case "reaction":
      return react(sending, outbound);
    case "media":
      return file(sending, outbound);
    case "poll":
      return poll(sending, outbound);
    case "card":
    case "edit-card":
    case "album":
    case "stream":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

function accepted(...messageIds: readonly MessageId[]): SendReceipt {
  return { type: "accepted", messageIds };
}

/** Sends the messages of one text. */
async function texts(sending: Sending, rendered: readonly RenderedText[], replyTo?: string, first = 0): Promise<SendReceipt> {
  const { host, messages, target, key, options } = sending;
  return sendInParts(rendered, {
    ...options,
    clock: host.clock,
    send: async (part, index) => {
      const content = { ...textContent(part), ...relationTo(target, index === 0 ? replyTo : undefined) };
      const transaction = transactionOf(key, index + first);
      return messages.send({ roomId: target.conversation.id, type: "m.room.message", content, transaction }, options);
    },
  });
}

/** The platform takes edits and reactions of messages that it does not have: whether there is one is asked first. */
async function requireMessage({ known, target, options }: Sending, targetId: string): Promise<{ readonly sender: string }> {
  const found = await beforehand(known.get(target.conversation.id, targetId, options));
  if (found === undefined) throw notFound("there is no such message");
  return found;
}

/** Replaces a text by one message. What rendering makes too long is shown as it was written. */
async function edit(sending: Sending, { targetId, text }: Extract<Outbound, { type: "edit" }>): Promise<SendReceipt> {
  const problem = textProblem(text, { maxLength: MAX_TEXT_LENGTH });
  if (problem !== undefined) return problem;
  const [first, ...more] = renderText(text);
  if (first === undefined) return rejectedReceipt("rejected", "the text shows nothing");
  const { messages, target, key, options, userId } = sending;
  const { sender } = await requireMessage(sending, targetId);
  if (sender !== userId) return rejectedReceipt("forbidden", "the message is not the bot's");
  const content = editContent(targetId, textContent(more.length === 0 ? first : { body: text, userIds: [] }));
  await messages.send({ roomId: target.conversation.id, type: "m.room.message", content, transaction: transactionOf(key) }, options);
  return accepted(targetId);
}

async function redact({ messages, target, key, options }: Sending, eventId: string): Promise<void> {
  await messages.redact({ roomId: target.conversation.id, eventId, transaction: transactionOf(key) }, options);
}

async function react(sending: Sending, { targetId, emoji, removed }: Extract<Outbound, { type: "reaction" }>): Promise<SendReceipt> {
  const { messages, reactions, target, key, options } = sending;
  const roomId = target.conversation.id;
  const reaction = { roomId, targetId, emoji };
  await requireMessage(sending, targetId);
  if (removed) {
    const eventId = await beforehand(reactions.find(reaction, options));
    if (eventId !== undefined) await redact(sending, eventId);
    reactions.forget(reaction);
    return accepted(targetId);
  }
  const content = { "m.relates_to": { rel_type: "m.annotation", event_id: targetId, key: emoji } };
  try {
    reactions.record(reaction, await messages.send({ roomId, type: "m.reaction", content, transaction: transactionOf(key) }, options));
  } catch (error) {
    // It is as it should be.
    if (!isRefusal(error, "M_DUPLICATE_ANNOTATION")) throw error;
  }
  return accepted(targetId);
}

async function file(sending: Sending, { media, caption = "", replyTo }: Extract<Outbound, { type: "media" }>): Promise<SendReceipt> {
  const problem =
    filesProblem([media], { maxBytes: MAX_FILE_BYTES }) ?? textProblem(caption, { maxLength: MAX_TEXT_LENGTH, mayBeEmpty: true });
  if (problem !== undefined) return problem;
  const [below, ...more] = renderText(caption);
  const { target, key, options } = sending;
  const id = await sendFile(sending, { target, media, caption: below, replyTo, transaction: transactionOf(key) }, options);
  if (more.length === 0) return accepted(id);
  const receipt = await texts(sending, more, undefined, 1).catch(toReceipt);
  if (receipt.type === "accepted") return accepted(id, ...receipt.messageIds);
  return { type: "ambiguous", cause: "the file is shown, and a part of its text is not" };
}

async function poll(
  { messages, target, key, options }: Sending,
  { poll: asked }: Extract<Outbound, { type: "poll" }>,
): Promise<SendReceipt> {
  if (asked.options.length > MAX_POLL_OPTIONS) return rejectedReceipt("too-long", `more than ${MAX_POLL_OPTIONS} options`);
  const content = pollContent(asked, target);
  return accepted(
    await messages.send({ roomId: target.conversation.id, type: POLL_TYPE, content, transaction: transactionOf(key) }, options),
  );
}

async function typing({ api, target, options, userId }: Sending): Promise<SendReceipt> {
  const path = pathOf("rooms", target.conversation.id, "typing", userId);
  await api.call("the sign of typing", { method: "PUT", path, body: { typing: true, timeout: TYPING_MS } }, options);
  return { type: "accepted", messageIds: [] };
}
