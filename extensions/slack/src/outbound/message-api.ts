import { createHash } from "node:crypto";
import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { refusalOf } from "../errors.ts";
import type { MessageBody } from "./render-text.ts";

/** Where a message goes: a conversation of the platform, and a thread of it. */
export interface Place {
  readonly channel: string;
  readonly threadTs?: string | undefined;
}

/** The type of the metadata by which a message is found again. */
export const METADATA_TYPE = "factotum_send";

const SentSchema = z.looseObject({ ts: z.string().min(1) });
const EphemeralSchema = z.looseObject({ message_ts: z.string().min(1) });
const OpenedSchema = z.looseObject({ channel: z.looseObject({ id: z.string().min(1) }) });

/** The key of a send as the metadata of its message carries it. */
export function metadataKey(idempotencyKey: string): string {
  return createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 32);
}

/** The message calls of the platform that are used. Each rejects with a PlatformFailure. */
export interface MessageApi {
  post(message: { readonly place: Place; readonly body: MessageBody; readonly key: string }, options: CallOptions): Promise<MessageId>;
  postFor(user: string, message: { readonly place: Place; readonly body: MessageBody }, options: CallOptions): Promise<MessageId>;
  update(channel: string, ts: string, body: MessageBody, options: CallOptions): Promise<void>;
  remove(channel: string, ts: string, options: CallOptions): Promise<void>;
  react(
    reaction: { readonly channel: string; readonly ts: string; readonly name: string; readonly removed: boolean },
    options: CallOptions,
  ): Promise<void>;
  /** The id of a conversation; for a person the direct chat is opened. */
  channelOf(id: string, options: CallOptions): Promise<string>;
}

/** Creates the calls on an account's API. */
export function createMessageApi(api: SlackApi): MessageApi {
  const directChats = new Map<string, string>();
  return {
    async post({ place, body, key }, options) {
      const answer = await api.call(
        "chat.postMessage",
        {
          ...parametersOf(place, body),
          metadata: { event_type: METADATA_TYPE, event_payload: { key } },
          unfurl_links: false,
          unfurl_media: false,
        },
        options,
      );
      return idOf(SentSchema.safeParse(answer).data?.ts);
    },
    async postFor(user, { place, body }, options) {
      const answer = await api.call("chat.postEphemeral", { ...parametersOf(place, body), user }, options);
      return idOf(EphemeralSchema.safeParse(answer).data?.message_ts);
    },
    async update(channel, ts, { text, blocks = [] }, options) {
      // Blocks of the message so far stay unless they are replaced.
      await api.call("chat.update", { channel, ts, text, blocks, parse: "none" }, options);
    },
    async remove(channel, ts, options) {
      if (ts.startsWith("F")) await api.call("files.delete", { file: ts }, options);
      else await api.call("chat.delete", { channel, ts }, options);
    },
    async react({ channel, ts, name, removed }, options) {
      const method = removed ? "reactions.remove" : "reactions.add";
      await api.call(method, { channel, timestamp: ts, name }, options).catch((error: unknown) => {
        // It is as it should be.
        if (refusalOf(error) !== (removed ? "no_reaction" : "already_reacted")) throw error;
      });
    },
    async channelOf(id, options) {
      if (!/^[UW][A-Z0-9]+$/.test(id)) return id;
      const known = directChats.get(id);
      if (known !== undefined) return known;
      const opened = OpenedSchema.safeParse(await api.call("conversations.open", { users: id }, options));
      if (!opened.success) throw new PlatformFailure({ type: "not-sent" }, "Slack named no direct chat");
      directChats.set(id, opened.data.channel.id);
      return opened.data.channel.id;
    },
  };
}

function parametersOf({ channel, threadTs }: Place, { text, blocks }: MessageBody): Readonly<Record<string, unknown>> {
  return {
    channel,
    text,
    ...(blocks !== undefined && { blocks }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    parse: "none",
    link_names: false,
  };
}

function idOf(ts: string | undefined): MessageId {
  if (ts === undefined) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message");
  return messageId(ts);
}
