import type { AccountConfig } from "@factotum/config";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import type { CliContext } from "../runtime/cli-context.ts";

/** Withdraws every approval and every code of an account; resolves with how many there were, `undefined` without a running gateway, which alone knows them. */
export async function forgetPairings(
  context: CliContext,
  { channel, accountId }: Pick<AccountConfig, "channel" | "accountId">,
): Promise<number | undefined> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return undefined;
  const { signal } = context;
  try {
    const { approved, pending } = await gateway.client.request("pairing.list", {}, { signal });
    const isOfAccount = (one: { readonly channel: string; readonly accountId: string }): boolean =>
      one.channel === channel && one.accountId === accountId;
    const [people, codes] = [approved.filter(isOfAccount), pending.filter(isOfAccount)];
    for (const { senderId } of people) await gateway.client.request("pairing.revoke", { channel, accountId, senderId }, { signal });
    for (const { code } of codes) await gateway.client.request("pairing.reject", { code }, { signal });
    return people.length + codes.length;
  } catch (error) {
    throw requestError(error);
  }
}
