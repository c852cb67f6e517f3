import type { CallOptions, ChannelHost, Origin } from "@factotum/channel-contract";
import * as z from "zod";
import type { TelegramApi } from "./api/telegram-api.ts";
import { conversationOf } from "./conversation-id.ts";
import { toChannelError } from "./errors.ts";

const ChatSchema = z.looseObject({ id: z.number().int(), type: z.enum(["private", "group", "supergroup", "channel"]) });

/** As `Channel.resolveTarget`: an id, a topic as `<chat>:topic:<thread>`, or `@name` of a public group or channel. The platform finds no one by other names. */
export async function resolveTarget(
  { api, host }: { readonly api: TelegramApi; readonly host: Pick<ChannelHost, "accountId"> },
  query: string,
  options: CallOptions,
): Promise<Origin | undefined> {
  const [, id, threadId] = /^(?:(?:user|channel|group):)?(-?\d{1,19}|@[A-Za-z]\w{3,31})(?::topic:(\d{1,15}))?$/.exec(query.trim()) ?? [];
  if (id === undefined) return undefined;
  try {
    const chat = ChatSchema.parse(await api.call("getChat", { chat_id: id }, options));
    const conversation = { ...conversationOf(chat), ...(threadId !== undefined && { threadId }) };
    return { channel: "telegram", accountId: host.accountId, conversation };
  } catch (error) {
    const failure = toChannelError(error);
    if (failure.code === "not-found" || failure.code === "forbidden") return undefined;
    throw failure;
  }
}
