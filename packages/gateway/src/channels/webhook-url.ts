import type { Origin } from "@factotum/channel-contract";

/** The public address of an account's webhook; `undefined` without `gateway.publicUrl`. */
export function webhookUrl(
  publicUrl: string | undefined,
  { channel, accountId }: Pick<Origin, "channel" | "accountId">,
): string | undefined {
  if (publicUrl === undefined) return undefined;
  const base = publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`;
  return new URL(`channels/${encodeURIComponent(channel)}/${encodeURIComponent(accountId)}`, base).href;
}
