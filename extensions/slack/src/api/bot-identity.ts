import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure, createBotIdentity } from "@factotum/channel-kit";
import type { BotIdentity } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "./slack-api.ts";

/** Who the bot is on the platform. */
export interface Bot {
  /** As messages name it; begins with `U`. */
  readonly userId: string;
  /** As its own posts name it; begins with `B`. */
  readonly botId: string;
  readonly name: string;
  /** The workspace. */
  readonly teamId: string;
  /** The granted scopes; empty if the platform does not list them. */
  readonly scopes: readonly string[];
}

/** The bot of an account. */
export type SlackBot = BotIdentity<Bot>;

const IdentitySchema = z.looseObject({
  user_id: z.string().min(1),
  bot_id: z.string().default(""),
  team_id: z.string().default(""),
  user: z.string().default(""),
  response_metadata: z.looseObject({ scopes: z.array(z.string()).default([]) }).optional(),
});

/** Remembers the bot of an account; `signal` ends its request. */
export function createSlackBot(api: SlackApi, host: Pick<ChannelHost, "clock">, { signal }: CallOptions): SlackBot {
  return createBotIdentity({
    ask: (options) => askForBot(api, options),
    consequence: "messages are refused until Slack names the bot",
    host,
    signal,
  });
}

async function askForBot(api: SlackApi, options: CallOptions): Promise<Bot> {
  const answer = IdentitySchema.safeParse(await api.call("auth.test", {}, options));
  if (!answer.success)
    throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
  const { user_id: userId, bot_id: botId, team_id: teamId, user: name, response_metadata: metadata } = answer.data;
  return { userId, botId, teamId, name, scopes: metadata?.scopes ?? [] };
}
