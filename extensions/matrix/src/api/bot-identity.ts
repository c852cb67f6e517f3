import { ChannelError } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createBotIdentity, PlatformFailure } from "@factotum/channel-kit";
import type { BotIdentity } from "@factotum/channel-kit";
import * as z from "zod";
import type { MatrixConfig } from "../config.ts";
import { isFinal } from "../errors.ts";
import { pathOf } from "./matrix-api.ts";
import type { MatrixApi } from "./matrix-api.ts";

/** Who the bot is on the homeserver. */
export interface Bot {
  /** The full user id. */
  readonly id: string;
  /** For display; the local part of the id if there is none. */
  readonly name: string;
}

/** The bot of an account. */
export type MatrixBot = BotIdentity<Bot>;

const WhoamiSchema = z.looseObject({ user_id: z.string().min(1) });
const ProfileSchema = z.looseObject({ displayname: z.string().nullish() });

/** Remembers the bot of an account; `signal` ends its request. */
export function createMatrixBot(
  api: MatrixApi,
  config: Pick<MatrixConfig, "userId">,
  host: Pick<ChannelHost, "clock">,
  { signal }: CallOptions,
): MatrixBot {
  return createBotIdentity({
    ask: (options) => askForBot(api, config, options),
    consequence: "messages wait until the homeserver names the bot",
    host,
    signal,
  });
}

/** Asks the homeserver whose token this is: the check of the token. Rejects with a ChannelError `unauthorized` if it is another user's. */
export async function askForBot(api: MatrixApi, { userId }: Pick<MatrixConfig, "userId">, options: CallOptions): Promise<Bot> {
  const who = WhoamiSchema.safeParse(await api.call("the bot's account", { method: "GET", path: "/account/whoami" }, options));
  if (!who.success) throw new PlatformFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: who.error });
  const { user_id: id } = who.data;
  if (id !== userId) {
    const message = `the access token belongs to ${id}, not to ${userId}: set userId to ${id}, or replace the token`;
    throw new ChannelError("unauthorized", message, { retry: { type: "never" } });
  }
  const profile = await api
    .call("the bot's profile", { method: "GET", path: `${pathOf("profile", id)}/displayname` }, options)
    .catch((error: unknown) => {
      // A user without a name has no profile on some servers.
      if (isFinal(error)) return {};
      throw error;
    });
  const name = ProfileSchema.safeParse(profile).data?.displayname ?? "";
  return { id, name: name.trim() || localpartOf(id) };
}

/** The name of a user within its server. */
export function localpartOf(userId: string): string {
  return /^@([^:]+):/.exec(userId)?.[1] ?? userId;
}
