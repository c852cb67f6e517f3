import type { AccountConfig } from "@factotum/config";

/** How commands take an account: a channel alone means its account `default`. */
export function accountName({ channel, accountId }: Pick<AccountConfig, "channel" | "accountId">): string {
  return accountId === "default" ? channel : `${channel}:${accountId}`;
}
