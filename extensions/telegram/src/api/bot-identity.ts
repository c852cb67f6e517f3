import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createBotIdentity, PlatformFailure } from "@factotum/channel-kit";
import type { BotIdentity } from "@factotum/channel-kit";
import * as z from "zod";
import type { TelegramApi } from "./telegram-api.ts";

/** Who the bot is on the platform. */
export interface Bot {
  readonly id: string;
  /** Without an `@`. */
  readonly username: string;
  readonly name: string;
  /** False while the group privacy mode is on: then it gets only commands, replies and mentions in groups. */
  readonly readsGroups: boolean;
}

/** The bot of an account. */
export type TelegramBot = BotIdentity<Bot>;

const MeSchema = z.looseObject({
  id: z.number(),
  first_name: z.string().default(""),
  username: z.string().default(""),
  can_read_all_group_messages: z.boolean().default(true),
});

/** Remembers the bot of an account; `signal` ends its request. */
export function createTelegramBot(api: TelegramApi, host: Pick<ChannelHost, "clock">, { signal }: CallOptions): TelegramBot {
  return createBotIdentity({
    ask: (options) => askForBot(api, options),
    consequence: "messages are refused until Telegram names the bot",
    host,
    signal,
  });
}

/** Asks the platform who the bot is: its check of the token. */
export async function askForBot(api: TelegramApi, options: CallOptions): Promise<Bot> {
  const me = MeSchema.safeParse(await api.call("getMe", {}, options));
  if (!me.success) throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: me.error });
  const { id, first_name: name, username, can_read_all_group_messages: readsGroups } = me.data;
  return { id: String(id), username, name, readsGroups };
}
