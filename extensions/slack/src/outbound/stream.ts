import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId, Outbound } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "../api/slack-api.ts";
import { refusalOf } from "../errors.ts";
import type { SlackReplyContext } from "../inbound/reply-context.ts";
import type { Place } from "./message-api.ts";
import { renderStreamPart } from "./render-text.ts";

/** Longest text of one step; a longer one is sent in parts. */
const MAX_PART = 12_000;

const StartedSchema = z.looseObject({ ts: z.string().min(1) });

/** The platform's own streams. */
export interface Streams {
  /** Sends one step; resolves with the message. */
  step(
    place: Place,
    step: Extract<Outbound, { type: "stream" }>,
    options: CallOptions & { readonly reader: SlackReplyContext | undefined },
  ): Promise<MessageId>;
  /** Ends the stream of a message, so that it can be edited. False if there is none. */
  end(channel: string, ts: string, options: CallOptions): Promise<boolean>;
}

/** Creates the streams of an account. A stream in a direct chat is in a thread on the platform; elsewhere it names its reader. */
export function createStreams(api: SlackApi): Streams {
  const append = async (channel: string, ts: string, parts: readonly string[], options: CallOptions): Promise<void> => {
    for (const part of parts) await api.call("chat.appendStream", { channel, ts, markdown_text: part }, options);
  };
  return {
    async step({ channel, threadTs }, { targetId, text, added, isLast }, { reader, ...options }) {
      const parts = cut(renderStreamPart(added, text.slice(0, text.length - added.length)));
      if (targetId !== undefined) {
        const last = isLast ? parts.pop() : undefined;
        await append(channel, targetId, parts, options);
        if (isLast)
          await api.call("chat.stopStream", { channel, ts: targetId, ...(last !== undefined && { markdown_text: last }) }, options);
        return targetId;
      }
      const first = parts.shift();
      const answer = await api.call(
        "chat.startStream",
        {
          channel,
          ...(threadTs !== undefined && { thread_ts: threadTs }),
          ...(reader !== undefined && { recipient_user_id: reader.user, recipient_team_id: reader.team }),
          ...(first !== undefined && { markdown_text: first }),
        },
        options,
      );
      const started = StartedSchema.safeParse(answer);
      if (!started.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message");
      const { ts } = started.data;
      await append(channel, ts, parts, options);
      if (isLast) await api.call("chat.stopStream", { channel, ts }, options);
      return messageId(ts);
    },
    async end(channel, ts, options) {
      try {
        await api.call("chat.stopStream", { channel, ts }, options);
        return true;
      } catch (error) {
        if (refusalOf(error) === "message_not_in_streaming_state") return false;
        throw error;
      }
    },
  };
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + MAX_PART;
    const isSplitPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    const part = text.slice(start, isSplitPair ? end - 1 : end);
    parts.push(part);
    start += part.length;
  }
  return parts;
}
