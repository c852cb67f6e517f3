import type { CallOptions, ChannelHost, Media, Mention, MessageId, Outbound, SendReceipt } from "@factotum/channel-contract";
import { createSendQueue, filesProblem, rejectedReceipt, textProblem } from "@factotum/channel-kit";
import type { Sender } from "@factotum/channel-kit";
import type { SlackApi } from "../api/slack-api.ts";
import { MAX_FILE_BYTES, MAX_FILES, MAX_TEXT_LENGTH } from "../capabilities.ts";
import { emojiName } from "../emoji.ts";
import { refusalOf, toReceipt } from "../errors.ts";
import { parseReplyContext } from "../inbound/reply-context.ts";
import type { SlackReplyContext } from "../inbound/reply-context.ts";
import { metadataKey } from "./message-api.ts";
import type { MessageApi, Place } from "./message-api.ts";
import { renderCard } from "./render-card.ts";
import { renderMrkdwn, renderText } from "./render-text.ts";
import type { MessageBody } from "./render-text.ts";
import { sendFiles } from "./send-files.ts";
import { createStreams } from "./stream.ts";
import type { Streams } from "./stream.ts";

interface SendParts {
  readonly api: SlackApi;
  readonly host: ChannelHost;
  readonly messages: MessageApi;
  readonly streams: Streams;
}

/** One send with what it needs. */
interface Send {
  readonly place: Place;
  readonly key: string;
  readonly context: SlackReplyContext | undefined;
  readonly options: CallOptions;
}

/** Creates a sender: one call after the other per conversation, conversations side by side. */
export function createSender({ api, messages, host }: Omit<SendParts, "streams">): Sender {
  const queue = createSendQueue(host, { toReceipt });
  const parts: SendParts = { api, host, messages, streams: createStreams(api) };
  return {
    send({ conversation: { id, threadId } }, outbound, { signal, idempotencyKey, replyContext }) {
      return queue.run({ key: id, outbound, signal }, async (options) => {
        const place = { channel: await messages.channelOf(id, options), threadTs: threadId };
        return dispatch(parts, outbound, { place, key: metadataKey(idempotencyKey), context: parseReplyContext(replyContext), options });
      });
    },
    stop: (options) => queue.stop(options),
  };
}

async function dispatch(parts: SendParts, outbound: Outbound, send: Send): Promise<SendReceipt> {
  const { messages } = parts;
  const { place, options } = send;
  switch (outbound.type) {
    case "text": {
      const body = bodyOf(outbound.text, outbound.mentions);
      return "type" in body ? body : post(parts, { body, onlyFor: outbound.onlyFor }, send);
    }
    case "card": {
      const rendered = renderCard(outbound.card);
      if (rendered.type === "over-limit") return rejectedReceipt("too-long", rendered.limit);
      return post(parts, { body: rendered.body, onlyFor: outbound.onlyFor }, send);
    }
    case "edit": {
      const body = bodyOf(outbound.text);
      return "type" in body ? body : edit(parts, outbound.targetId, body, send);
    }
    case "edit-card": {
      const rendered = renderCard(outbound.card);
      if (rendered.type === "over-limit") return rejectedReceipt("too-long", rendered.limit);
      return edit(parts, outbound.targetId, rendered.body, send);
    }
    case "delete":
      await messages.remove(place.channel, outbound.targetId, options);
      return { type: "accepted", messageIds: [outbound.targetId] };
    case "reaction": {
      const name = emojiName(outbound.emoji);
      if (name === undefined) return rejectedReceipt("rejected", `Slack has no reaction ${outbound.emoji}`);
      await messages.react({ channel: place.channel, ts: outbound.targetId, name, removed: outbound.removed }, options);
      return { type: "accepted", messageIds: [outbound.targetId] };
    }
    case "media":
      return media(parts, [outbound.media], outbound.caption ?? "", send);
    case "album":
      return media(parts, outbound.media, outbound.caption ?? "", send);
    case "stream":
      return stream(parts, outbound, send);
    case "poll":
    case "typing":
      return rejectedReceipt("rejected", `this channel sends no ${outbound.type}`);
  }
}

/**
 * Posts a message. A command can be given where the bot is not: then its answer goes to the response address, which names no message, and is shown to the
 * person alone.
 */
async function post(
  { api, messages }: SendParts,
  { body, onlyFor }: { readonly body: MessageBody; readonly onlyFor?: string | undefined },
  { place, key, context, options }: Send,
): Promise<SendReceipt> {
  try {
    const id =
      onlyFor === undefined
        ? await messages.post({ place, body, key }, options)
        : await messages.postFor(onlyFor, { place, body }, options);
    return { type: "accepted", messageIds: [id] };
  } catch (error) {
    const isOutside = ["not_in_channel", "channel_not_found"].includes(refusalOf(error) ?? "");
    const mayAnswer = onlyFor === undefined || onlyFor === context?.user;
    if (!isOutside || !mayAnswer || context?.responseUrl === undefined) throw error;
    await api.respond(context.responseUrl, { response_type: "ephemeral", replace_original: false, ...body }, options);
    return { type: "accepted", messageIds: [] };
  }
}

/**
 * One step of a growing answer. The platform has no streams in a direct chat outside a thread, and elsewhere needs to know the reader: otherwise the message is
 * edited.
 */
async function stream(parts: SendParts, outbound: Extract<Outbound, { type: "stream" }>, send: Send): Promise<SendReceipt> {
  const { place, context, options } = send;
  const isDirect = place.channel.startsWith("D");
  if (isDirect ? place.threadTs !== undefined : context !== undefined)
    return { type: "accepted", messageIds: [await parts.streams.step(place, outbound, { ...options, reader: context })] };
  const body = renderText(outbound.text);
  if (body === undefined) return rejectedReceipt("rejected", "the text shows nothing");
  return outbound.targetId === undefined ? post(parts, { body }, send) : edit(parts, outbound.targetId, body, send);
}

/** Edits a message. One that is still being streamed is ended first. */
async function edit(
  { messages, streams }: SendParts,
  targetId: MessageId,
  body: MessageBody,
  { place, options }: Send,
): Promise<SendReceipt> {
  const { channel } = place;
  try {
    await messages.update(channel, targetId, body, options);
  } catch (error) {
    if (refusalOf(error) !== "streaming_state_conflict" || !(await streams.end(channel, targetId, options))) throw error;
    await messages.update(channel, targetId, body, options);
  }
  return { type: "accepted", messageIds: [targetId] };
}

async function media(parts: SendParts, files: readonly Media[], caption: string, { place, options }: Send): Promise<SendReceipt> {
  const problem =
    filesProblem(files, { maxBytes: MAX_FILE_BYTES, maxFiles: MAX_FILES }) ??
    textProblem(caption, { maxLength: MAX_TEXT_LENGTH, mayBeEmpty: true });
  if (problem !== undefined) return problem;
  const comment = renderMrkdwn(caption).join("\n");
  const id = await sendFiles(parts, { place, media: files, comment }, options);
  return { type: "accepted", messageIds: [id] };
}

/** Renders a text, or the receipt if it cannot be sent. */
function bodyOf(text: string, mentions: readonly Mention[] = []): MessageBody | (SendReceipt & { type: "rejected" }) {
  const problem = textProblem(text, { maxLength: MAX_TEXT_LENGTH });
  if (problem !== undefined) return problem;
  return renderText(text, mentions) ?? rejectedReceipt("rejected", "the text shows nothing");
}
