import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId, Origin } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { TelegramApi } from "../api/telegram-api.ts";
import { isRefusal } from "../errors.ts";
import { visibleText } from "./render-text.ts";

/** Where a message goes, and how. */
export interface Place {
  readonly chat_id: string;
  readonly message_thread_id?: number;
  readonly reply_parameters?: object;
  readonly disable_notification?: true;
}

const SentSchema = z.looseObject({ message_id: z.number().int() });
const AlbumSchema = z.array(SentSchema).min(1);
const PREVIEWS_OFF = { is_disabled: true };

/** The place of a send. The general topic of a forum has the number 1 and is no thread. */
export function placeOf(
  { conversation: { id, threadId } }: Origin,
  { replyTo, silent }: { readonly replyTo?: MessageId | undefined; readonly silent?: boolean | undefined } = {},
): Place {
  const answered = replyTo === undefined ? undefined : toMessageNumber(replyTo);
  return {
    chat_id: id,
    ...(threadId !== undefined && threadId !== "1" && { message_thread_id: Number(threadId) }),
    ...(answered !== undefined && { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
    ...(silent === true && { disable_notification: true }),
  };
}

/** The number of a message; `undefined` for an id of another kind, such as that of a press. */
function toMessageNumber(id: MessageId): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** The number of a message that has to exist. */
export function requireMessageNumber(id: MessageId): number {
  const number = toMessageNumber(id);
  if (number === undefined) throw new PlatformFailure({ type: "refused", code: "not-found" }, "there is no such message");
  return number;
}

/**
 * Calls a method with HTML in `text` or `caption`. If the platform refuses the styles, the same is sent without them: the refused request has shown nothing.
 */
export async function callWithHtml(
  api: TelegramApi,
  method: string,
  parameters: Readonly<Record<string, unknown>> & { readonly text?: string; readonly caption?: string },
  options: CallOptions & { readonly timeoutMs?: number },
): Promise<unknown> {
  const { text, caption } = parameters;
  const preview = text !== undefined && { link_preview_options: PREVIEWS_OFF };
  try {
    return await api.call(method, { ...parameters, parse_mode: "HTML", ...preview }, options);
  } catch (error) {
    if (!isRefusal(error, /can't parse|entity|entities/)) throw error;
    const plain = {
      ...(text !== undefined && { text: visibleText(text) }),
      ...(caption !== undefined && { caption: visibleText(caption) }),
    };
    return api.call(method, { ...parameters, ...plain, ...preview }, options);
  }
}

/** The id of a sent message. */
export function sentId(result: unknown): MessageId {
  const sent = SentSchema.safeParse(result);
  if (!sent.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message");
  return messageId(String(sent.data.message_id));
}

/** The ids of a sent album. */
export function sentIds(result: unknown): readonly MessageId[] {
  const sent = AlbumSchema.safeParse(result);
  if (!sent.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no messages");
  return sent.data.map(({ message_id: id }) => messageId(String(id)));
}
