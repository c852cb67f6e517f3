import type { Channel, ChannelHost } from "@factotum/channel-contract";
import type { AccountConfig, Environment, FactotumConfig } from "@factotum/config";
import { httpFetch } from "@factotum/models";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { channelAccounts } from "./channel-accounts.ts";
import type { ChannelParts } from "./extensions.ts";

/** Creates the channel of an account in this process without starting it, to ask for its capabilities or to probe it. Rejects with a `ChannelError`. */
export async function createIdleChannel(
  config: FactotumConfig,
  { channel, accountId }: Pick<AccountConfig, "channel" | "accountId">,
  { env }: { readonly env: Environment },
): Promise<Channel> {
  const account = channelAccounts(config, { parts: NO_PARTS, env, secrets: new SecretFilter() }).find((one) => {
    return one.channel === channel && one.accountId === accountId;
  });
  if (account === undefined) throw new Error(`There is no account ${channel}/${accountId}.`);
  const { publicUrl } = config.gateway;
  // The gateway's code is loaded only for an address.
  const webhookUrl = publicUrl === undefined ? undefined : (await import("@factotum/gateway")).webhookUrl(publicUrl, account);
  return account.create(idleHost(accountId, webhookUrl));
}

/** A channel that is not started uses no part of a gateway. */
export const NO_PARTS: ChannelParts = {
  webchatSocket: { listen: () => notHere(), readUpload: async () => notHere(), deliver: async () => notHere() },
};

function notHere(): never {
  throw new Error("This is possible in a running gateway only.");
}

function idleHost(accountId: string, webhookUrl: string | undefined): ChannelHost {
  return {
    accountId,
    admits: () => true,
    fetchPublic: async () => notHere(),
    receive: async () => notHere(),
    commit: async () => notHere(),
    cursor: async () => undefined,
    state: { get: async () => undefined, list: async () => [], set: async () => notHere(), delete: async () => notHere() },
    commands: { list: () => [], onChange: () => ({ [Symbol.dispose]: () => undefined }) },
    webhookUrl,
    clock: systemClock,
    logger: QUIET_LOGGER,
    fetch: httpFetch,
    random: systemRandom,
  };
}
