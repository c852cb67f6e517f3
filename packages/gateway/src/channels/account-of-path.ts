import type { Origin } from "@factotum/channel-contract";
import type { ChannelRegistry } from "./channel-registry.ts";

/**
 * The account that answers a path of the gateway's own address, because its channel declares it (`inbound.paths`); `undefined` if none does. A channel gets
 * `/.well-known/<name>` and what is below `/<channel>/`, and only for its account `default`, or for the one that there is.
 */
export function accountOfPath(
  path: string,
  channels: Pick<ChannelRegistry, "instances">,
): Pick<Origin, "channel" | "accountId"> | undefined {
  const declaring = channels.instances().filter(({ channel, capabilities }) => {
    const isFixed = /^\/\.well-known\/[\w.-]+$/.test(path) || path.startsWith(`/${channel}/`);
    return isFixed && capabilities.inbound.paths?.includes(path) === true;
  });
  const named = declaring.find(({ accountId }) => accountId === "default") ?? (declaring.length === 1 ? declaring[0] : undefined);
  return named === undefined ? undefined : { channel: named.channel, accountId: named.accountId };
}
