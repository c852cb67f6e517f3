import type { Card, ChannelHost, Mention, Origin, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, filesProblem, measure, PlatformFailure, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import { MAX_FILE_BYTES, MAX_IMAGE_BYTES, MAX_TEXT_LENGTH } from "../capabilities.ts";
import { receiveIdType } from "../conversation-id.ts";
import { toReceipt } from "../errors.ts";
import { emojiType } from "./emoji.ts";
import { idempotencyUuid } from "./idempotency-uuid.ts";
import type { CardStreams } from "./card-streams.ts";
import type { MessageApi } from "./message-api.ts";
import { contentOf, uploadOf } from "./message-content.ts";
import type { MessageContent } from "./message-content.ts";
import { renderCard } from "./render-card.ts";
import { MAX_BODY_BYTES, renderText } from "./render-text.ts";
import type { MessageBody } from "./render-text.ts";

/** Makes a sender: one call after the other per conversation, conversations side by side. */
export function createSender(
  parts: { readonly messages: MessageApi; readonly streams: CardStreams },
  host: Pick<ChannelHost, "logger">,
): Sender {
  const queue = createSendQueue(host, { toReceipt });
  return {
    send: (target, outbound, { signal, idempotencyKey }) =>
      queue.run({ key: target.conversation.id, outbound, signal }, (options) =>
        dispatch(parts, { target, outbound, uuid: idempotencyUuid(idempotencyKey) }, options.signal),
      ),
    stop: (options) => queue.stop(options),
  };
}

async function dispatch(
  { messages, streams }: { readonly messages: MessageApi; readonly streams: CardStreams },
  send: { target: Origin; outbound: Outbound; uuid: string },
  signal: AbortSignal,
): Promise<SendReceipt> {
  const { target, outbound, uuid } = send;
  switch (outbound.type) {
    case "text": {
      if (isPrivate(outbound, target))
        return sendPrivately(messages, { target, card: { body: outbound.text }, openId: outbound.onlyFor }, signal);
      if (receiveIdType(target.conversation.id) === undefined)
        return rejectedReceipt("not-found", `${target.conversation.id} is no chat (oc_…) and no person (ou_…)`);
      const body = bodyOf(outbound.text, outbound.mentions);
      if (!("msg_type" in body)) return body;
      const resumed = await streams.resume({ target, outbound, uuid }, { signal });
      const messageId = resumed ?? (await messages.send({ target, body, uuid, replyTo: outbound.replyTo }, { signal }));
      return { type: "accepted", messageIds: [messageId] };
    }
    case "edit": {
      if (await streams.finish(outbound.targetId, outbound.text, { signal })) return { type: "accepted", messageIds: [outbound.targetId] };
      const body = bodyOf(outbound.text);
      if (!("msg_type" in body)) return body;
      await messages.edit(outbound.targetId, body, { signal });
      return { type: "accepted", messageIds: [outbound.targetId] };
    }
    case "delete":
      await messages.recall(outbound.targetId, { signal });
      return { type: "accepted", messageIds: [outbound.targetId] };
    case "reaction": {
      const emoji = emojiType(outbound.emoji);
      if (emoji === undefined) return rejectedReceipt("rejected", `Feishu has no reaction ${outbound.emoji}`);
      if (outbound.removed) await messages.unreact(outbound.targetId, emoji, { signal });
      else await messages.react(outbound.targetId, emoji, { signal });
      return { type: "accepted", messageIds: [outbound.targetId] };
    }
    case "media":
      return sendMedia(messages, { target, outbound, uuid }, signal);
    case "card": {
      if (isPrivate(outbound, target)) return sendPrivately(messages, { target, card: outbound.card, openId: outbound.onlyFor }, signal);
      if (receiveIdType(target.conversation.id) === undefined)
        return rejectedReceipt("not-found", `${target.conversation.id} is no chat (oc_…) and no person (ou_…)`);
      const body = cardOf(outbound.card, target);
      if (!("msg_type" in body)) return body;
      return { type: "accepted", messageIds: [await messages.send({ target, body, uuid, replyTo: outbound.replyTo }, { signal })] };
    }
    case "edit-card": {
      const body = cardOf(outbound.card, target);
      if (!("msg_type" in body)) return body;
      await messages.editCard(outbound.targetId, body.content, { signal });
      return { type: "accepted", messageIds: [outbound.targetId] };
    }
    case "stream": {
      const body = bodyOf(outbound.text);
      if (!("msg_type" in body)) return body;
      return { type: "accepted", messageIds: [await streams.step({ target, outbound, uuid }, { signal })] };
    }
    case "album":
    case "poll":
    case "typing":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

/** True if a message is for one of several people. A direct chat has only one. */
function isPrivate<T extends { readonly onlyFor?: string }>(
  outbound: T,
  { conversation }: Origin,
): outbound is T & { readonly onlyFor: string } {
  return outbound.onlyFor !== undefined && conversation.kind !== "direct";
}

/** The platform shows such messages as cards alone, and never in threads. */
async function sendPrivately(
  messages: MessageApi,
  { target, card, openId }: { readonly target: Origin; readonly card: Card; readonly openId: string },
  signal: AbortSignal,
): Promise<SendReceipt> {
  const { id: chatId, threadId } = target.conversation;
  if (receiveIdType(chatId) !== "chat_id" || receiveIdType(openId) !== "open_id")
    return rejectedReceipt("not-found", `${chatId} is no chat (oc_…), or ${openId} no person (ou_…)`);
  if (threadId !== undefined) return rejectedReceipt("rejected", "Feishu shows messages for one person only outside of threads");
  const body = cardOf(card, target);
  if (!("msg_type" in body)) return body;
  const sent = await messages.sendPrivately({ chatId, openId, card: JSON.parse(body.content) as object }, { signal });
  return { type: "accepted", messageIds: [sent] };
}

/** Uploads a file and sends it. Nothing is shown before the upload is complete, so earlier failures are never ambiguous. */
async function sendMedia(
  messages: MessageApi,
  { target, outbound, uuid }: { target: Origin; outbound: Extract<Outbound, { type: "media" }>; uuid: string },
  signal: AbortSignal,
): Promise<SendReceipt> {
  const { media, replyTo } = outbound;
  if (receiveIdType(target.conversation.id) === undefined)
    return rejectedReceipt("not-found", `${target.conversation.id} is no chat (oc_…) and no person (ou_…)`);
  const problem = filesProblem([media], { maxBytes: media.kind === "image" ? MAX_IMAGE_BYTES : MAX_FILE_BYTES });
  if (problem !== undefined) return problem;
  const upload = uploadOf(media);
  const key = await messages.upload(upload, { signal }).catch((error: unknown) => {
    const receipt = toReceipt(error);
    if (receipt.type !== "ambiguous") throw error;
    throw new PlatformFailure({ type: "not-sent" }, receipt.cause, { cause: error });
  });
  return { type: "accepted", messageIds: [await messages.send({ target, body: contentOf(upload, key), uuid, replyTo }, { signal })] };
}

/** Renders a text, or the receipt if it cannot be sent. */
function bodyOf(text: string, mentions: readonly Mention[] = []): MessageBody | SendReceipt {
  const problem = textProblem(text, { maxLength: MAX_TEXT_LENGTH });
  if (problem !== undefined) return problem;
  const body = renderText(text, mentions);
  return measure(JSON.stringify(body), "bytes") > MAX_BODY_BYTES[body.msg_type] - 1024
    ? rejectedReceipt("too-long", "the rendered message is too large")
    : body;
}

/** Renders a card, or the receipt if it cannot be sent. */
function cardOf(card: Card, { conversation }: Origin): MessageContent | SendReceipt {
  const rendered = renderCard(card, conversation);
  const content = JSON.stringify(rendered);
  const { elements } = rendered["body"] as { readonly elements: readonly unknown[] };
  if (elements.length === 0) return rejectedReceipt("rejected", "the card is empty");
  if ((card.inputs ?? []).length > 0 && (card.buttons ?? []).length === 0) return rejectedReceipt("rejected", "a form needs a button");
  // The content is a string inside the request, so its quotes are escaped.
  return measure(JSON.stringify(content), "bytes") > MAX_BODY_BYTES.interactive - 1024
    ? rejectedReceipt("too-long", "the card is too large")
    : { msg_type: "interactive", content };
}
