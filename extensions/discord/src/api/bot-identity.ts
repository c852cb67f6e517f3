import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createBotIdentity, PlatformFailure } from "@factotum/channel-kit";
import type { BotIdentity } from "@factotum/channel-kit";
import * as z from "zod";
import { isFinal, toChannelError } from "../errors.ts";
import type { DiscordApi } from "./discord-api.ts";

/** Who the bot is on the platform. */
export interface Bot {
  readonly id: string;
  readonly name: string;
  /** The application that owns the bot: commands are registered for it. */
  readonly applicationId: string;
  /** False while the intent Message Content is off: then texts of others in channels are empty unless they mention the bot. */
  readonly readsContent: boolean;
}

/** The bot of an account. */
export type DiscordBot = BotIdentity<Bot>;

const UserSchema = z.looseObject({ id: z.string().min(1), username: z.string().default(""), global_name: z.string().nullish() });
const ApplicationSchema = z.looseObject({ id: z.string().min(1), flags: z.number().int().optional() });
/** The application may read the content of messages: approved by the platform, or switched on by its owner. */
const READS_CONTENT = (1 << 18) | (1 << 19);

/** Remembers the bot of an account; `signal` ends its request. */
export function createDiscordBot(api: DiscordApi, host: Pick<ChannelHost, "clock">, { signal }: CallOptions): DiscordBot {
  return createBotIdentity({
    ask: (options) => askForBot(api, options),
    consequence: "messages wait until Discord names the bot",
    host,
    signal,
  });
}

/** Asks the platform who the bot is: its check of the token. */
export async function askForBot(api: DiscordApi, options: CallOptions): Promise<Bot> {
  const me = UserSchema.safeParse(await api.call("users/@me", (sdk, given) => sdk.users.getCurrent(given), options));
  if (!me.success) throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: me.error });
  const { id, username, global_name: name } = me.data;
  const application = await api
    .call("applications/@me", (sdk, given) => sdk.applications.getCurrent(given), options)
    .catch((error: unknown) => {
      // The token is right: what is not named here stays unknown.
      if (isFinal(error) && toChannelError(error).code !== "unauthorized") return undefined;
      throw error;
    });
  const parsed = ApplicationSchema.safeParse(application).data;
  return {
    id,
    name: name ?? username,
    applicationId: parsed?.id ?? id,
    readsContent: parsed?.flags === undefined || (parsed.flags & READS_CONTENT) !== 0,
  };
}
