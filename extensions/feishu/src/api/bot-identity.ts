import type { CallOptions } from "@factotum/channel-contract";
import * as z from "zod";
import type { FeishuApi } from "./feishu-api.ts";

/** Who the bot is on the platform. */
export interface Bot {
  readonly openId: string;
  readonly name: string;
}

/** The bot, asked for once. */
export interface BotIdentity {
  /** Asks the platform unless it has answered before. Rejects with a FeishuFailure; the next call asks again. */
  get(options: CallOptions): Promise<Bot>;
}

const InfoSchema = z.looseObject({ bot: z.looseObject({ open_id: z.string().min(1), app_name: z.string().default("") }) });

/** Remembers the bot's id for an account. */
export function createBotIdentity(api: FeishuApi): BotIdentity {
  let known: Bot | undefined;
  return {
    async get(options) {
      if (known !== undefined) return known;
      const { bot } = InfoSchema.parse(await api.call({ method: "GET", path: "/bot/v3/info" }, options));
      known = { openId: bot.open_id, name: bot.app_name };
      return known;
    },
  };
}
