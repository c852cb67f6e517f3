import { createHash } from "node:crypto";
import { messageId } from "@factotum/channel-contract";
import type { CallOptions, Media, MessageId } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { DiscordApi } from "../api/discord-api.ts";
import { isRefusal } from "../errors.ts";
import type { InteractionAcks } from "../inbound/accept-interaction.ts";
import type { InteractionAnswer } from "../inbound/reply-context.ts";
import { isSnowflake, requireMessageId, snowflakeTimeMs } from "../snowflake.ts";
import type { StoredRows } from "../state/stored-rows.ts";
import type { MessageBody } from "./message-body.ts";

/** One message to show. */
export interface NewMessage {
  readonly body: MessageBody;
  readonly files?: readonly Media[] | undefined;
  readonly poll?: object | undefined;
  readonly replyTo?: MessageId | undefined;
}

/** Where a message goes. */
export interface SendPlace {
  /** The channel, the thread or the direct chat. */
  readonly channel: string;
  /** The key of the send; the platform drops a second message with the same one. */
  readonly key: string;
  /** The number of the message among those of one send. */
  readonly part: number;
  /** The interaction that caused it. */
  readonly interaction: InteractionAnswer | undefined;
}

/** Sends, changes and removes messages. Everything rejects with a PlatformFailure. */
export interface MessageApi {
  post(message: NewMessage, place: SendPlace, options: CallOptions): Promise<MessageId>;
  edit(channel: string, target: MessageId, body: MessageBody, options: CallOptions): Promise<void>;
  remove(channel: string, target: MessageId, options: CallOptions): Promise<void>;
}

const MAX_NONCE_LENGTH = 25;
const SentSchema = z.looseObject({ id: z.string().min(1) });
/** The token of an interaction is not valid any more, or it was never acknowledged. */
const EXPIRED = ["10015", "10008", "10062", "50027"] as const;
/** The bot does not see the channel: it can answer an interaction there all the same. */
const OUTSIDE = ["50001", "10003"] as const;
const ANSWER_KEPT_MS = 60 * 60_000;

/** What the platform compares to drop a repeated message. */
function nonceOf(key: string, part: number): string {
  return createHash("sha256").update(`${part}/${key}`).digest("base64url").slice(0, MAX_NONCE_LENGTH);
}

/** Creates the access of one account. */
export function createMessageApi({
  api,
  rows,
  acks,
}: {
  readonly api: DiscordApi;
  readonly rows: StoredRows;
  readonly acks: InteractionAcks;
}): MessageApi {
  const create = async (newMessage: NewMessage, { channel, key, part }: SendPlace, options: CallOptions): Promise<MessageId> => {
    const { poll, replyTo } = newMessage;
    const message = {
      ...contentOf(newMessage),
      nonce: nonceOf(key, part),
      enforce_nonce: true,
      ...(poll !== undefined && { poll }),
      ...(replyTo !== undefined && isSnowflake(replyTo) && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
    };
    return sentId(await api.call("the message", (sdk, given) => sdk.channels.createMessage(channel, message as never, given), options));
  };
  /** The answer takes the place of the sign that one is being written. Repeating it changes nothing. */
  const answer = async (
    message: NewMessage,
    { key, part }: SendPlace,
    { id, application, token }: InteractionAnswer,
    options: CallOptions,
  ): Promise<MessageId | undefined> => {
    const ownKey = nonceOf(key, part);
    const usedBy = await rows.answerOf(id);
    if (usedBy !== undefined && usedBy !== ownKey) return undefined;
    await acks.settled(id);
    if (usedBy === undefined) await rows.keepAnswer(id, ownKey, snowflakeTimeMs(id) + ANSWER_KEPT_MS);
    try {
      return sentId(
        await api.call(
          "the answer",
          (sdk, given) => sdk.interactions.editReply(application, token, contentOf(message) as never, "@original", given),
          options,
        ),
      );
    } catch (error) {
      if (isRefusal(error, ...EXPIRED)) return undefined;
      throw error;
    }
  };
  const followUp = async (message: NewMessage, { application, token }: InteractionAnswer, options: CallOptions): Promise<MessageId> => {
    return sentId(
      await api.call(
        "the answer",
        (sdk, given) => sdk.interactions.followUp(application, token, contentOf(message) as never, given),
        options,
      ),
    );
  };

  return {
    async post(message, place, options) {
      const { interaction } = place;
      // A poll cannot take the place of another message.
      const mayAnswer = interaction?.isDeferred === true && message.poll === undefined;
      const answered = mayAnswer ? await answer(message, place, interaction, options) : undefined;
      if (answered !== undefined) return answered;
      try {
        return await create(message, place, options);
      } catch (error) {
        if (interaction === undefined || message.poll !== undefined || !isRefusal(error, ...OUTSIDE)) throw error;
        return followUp(message, interaction, options).catch((cause: unknown) => {
          throw isRefusal(cause, ...EXPIRED) ? error : cause;
        });
      }
    },
    async edit(channel, target, body, options) {
      const id = requireMessageId(target);
      sentId(await api.call("the change", (sdk, given) => sdk.channels.editMessage(channel, id, body as never, given), options));
    },
    async remove(channel, target, options) {
      const id = requireMessageId(target);
      await api.call("the deletion", (sdk, given) => sdk.channels.deleteMessage(channel, id, given), options);
    },
  };
}

function sentId(result: unknown): MessageId {
  const sent = SentSchema.safeParse(result);
  if (!sent.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message");
  return messageId(sent.data.id);
}

function contentOf({ body, files }: NewMessage): object {
  if (files === undefined) return body;
  const named = files.map(({ bytes, fileName, mimeType, kind }, index) => ({
    name: fileName ?? `${kind}-${index + 1}`,
    data: bytes,
    contentType: mimeType,
  }));
  return { ...body, files: named };
}
