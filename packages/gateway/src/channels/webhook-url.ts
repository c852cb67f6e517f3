import type { Origin } from "@factotum/channel-contract";

/** The address of an account's webhook below that of the gateway; `undefined` without one. */
export function webhookUrl(
  gatewayUrl: string | undefined,
  { channel, accountId }: Pick<Origin, "channel" | "accountId">,
): string | undefined {
  if (gatewayUrl === undefined) return undefined;
  const base = gatewayUrl.endsWith("/") ? gatewayUrl : `${gatewayUrl}/`;
  return new URL(`channels/${encodeURIComponent(channel)}/${encodeURIComponent(accountId)}`, base).href;
}
