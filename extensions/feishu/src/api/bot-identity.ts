import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure, createBotIdentity } from "@factotum/channel-kit";
import type { BotIdentity } from "@factotum/channel-kit";
import * as z from "zod";
import type { FeishuApi } from "./feishu-api.ts";

/** Who the bot is on the platform. */
export interface Bot {
  readonly openId: string;
  readonly name: string;
}

/** The bot of an account. */
export type FeishuBot = BotIdentity<Bot>;

const InfoSchema = z.looseObject({ bot: z.looseObject({ open_id: z.string().min(1), app_name: z.string().default("") }) });

/** Remembers the bot of an account; `signal` ends its request. While the platform does not name it, direct messages still arrive. */
export function createFeishuBot(api: FeishuApi, host: Pick<ChannelHost, "clock">, { signal }: CallOptions): FeishuBot {
  const consequence = "messages of groups that mention somebody are refused until Feishu names the bot";
  return createBotIdentity({ ask: (options) => askForBot(api, options), consequence, host, signal });
}

async function askForBot(api: FeishuApi, options: CallOptions): Promise<Bot> {
  const answer = InfoSchema.safeParse(await api.call({ method: "GET", path: "/bot/v3/info" }, options));
  if (!answer.success)
    throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
  return { openId: answer.data.bot.open_id, name: answer.data.bot.app_name };
}
