import type { AccountConfig } from "@factotum/config";

/** How commands take an account: a channel alone means its account `default`. */
export function accountName({ channel, accountId }: Pick<AccountConfig, "channel" | "accountId">): string {
  return accountId === "default" ? channel : `${channel}:${accountId}`;
}

/** An entry of `commands.ownerAllowFrom` for a person on this account. */
export function ownerEntry({ channel, accountId }: Pick<AccountConfig, "channel" | "accountId">, id: string): string {
  return accountId === "default" ? `${channel}:${id}` : `${channel}/${accountId}:${id}`;
}

/** Reads an entry of `commands.ownerAllowFrom` or of `session.identityLinks`; `undefined` for one of another form. */
export function parseOwnerEntry(entry: string): { readonly channel: string; readonly accountId?: string; readonly id: string } | undefined {
  const [, channel, accountId, id] = /^([^:/]+)(?:\/([^:]+))?:(.+)$/su.exec(entry) ?? [];
  return channel === undefined || id === undefined ? undefined : { channel, id, ...(accountId !== undefined && { accountId }) };
}
