import type { ChannelCapabilities, Origin } from "@factotum/channel-contract";

type Account = Pick<Origin, "channel" | "accountId" | "idScope">;

/** The origin with the scope of its ids. The ids of the account `default` need none: they are those without an account. */
export function scopedOrigin<Address extends Account>(
  origin: Address,
  capabilities: Pick<ChannelCapabilities, "idScope"> | undefined,
): Address {
  const { idScope: _, ...rest } = origin;
  const isScoped = capabilities === undefined ? origin.idScope === "account" : capabilities.idScope !== "platform";
  return (isScoped && origin.accountId !== "default" ? { ...rest, idScope: "account" } : rest) as Address;
}

/**
 * A person as the configuration names them in `commands.ownerAllowFrom` and `session.identityLinks`: `channel:id`, or `channel/account:id` where ids are valid
 * in their account alone.
 */
export function personId({ channel, accountId, idScope }: Account, id: string): string {
  return idScope === "account" ? accountPersonId({ channel, accountId }, id) : `${channel}:${id}`;
}

/** A person of one account, however its channel scopes ids: `channel/account:id`. */
export function accountPersonId({ channel, accountId }: Pick<Account, "channel" | "accountId">, id: string): string {
  return `${channel}/${accountId}:${id}`;
}
