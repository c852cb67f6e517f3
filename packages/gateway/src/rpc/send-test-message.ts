import type { Channel, Origin, SendReceipt } from "@factotum/channel-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { ChannelStatus, ChannelTest } from "@factotum/protocol";
import type { AccountAddress } from "../channels/channel-inspector.ts";
import type { Engine } from "../engine/engine.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import { accountPersonId, personId } from "../kernel/person-id.ts";

/** How long the platform may take to find the recipient, and to answer. */
const TEST_MS = 30_000;

/** Why an account does not run, by its state. */
const WHY_NOT: Readonly<Record<ChannelStatus["state"], string>> = {
  starting: "it has not started yet",
  connected: "it has not started yet",
  degraded: "it does not work as it should",
  disconnected: "it is not connected",
  stopped: "it is stopped",
  disabled: "it is switched off",
  failed: "it could not be started",
};

interface Recipient {
  readonly to: string;
  readonly target: Origin;
}

/** Sends a message at once, past the outbox. Rejects with an `RpcError` for an account that does not run. */
export async function sendTestMessage(
  { parts, pairing }: Pick<Engine, "parts" | "pairing">,
  account: AccountAddress,
  { text, to }: { readonly text: string; readonly to?: string | undefined },
): Promise<ChannelTest> {
  const { channels, clock, random } = parts;
  const channel = channels.channelFor(account);
  const name = `${account.channel}:${account.accountId}`;
  if (channels.accountFor(account) === undefined) throw new RpcError("not-found", `No account ${name} is configured.`);
  if (channel === undefined || !channels.isStarted(account))
    throw new RpcError("unavailable", `The account ${name} is not running: ${whyNot(parts, account)}`);
  const limit = new AbortController();
  using _timer = clock.schedule(TEST_MS, () => limit.abort());
  const options = { signal: limit.signal };
  const recipient = to === undefined ? await findOwner({ parts, pairing }, account, options) : await find(channel, to, options);
  if (recipient === undefined) return { type: "no-recipient" };
  const receipt = await channel.send(recipient.target, { type: "text", text }, { ...options, idempotencyKey: random.uuid() });
  return toResult(receipt, recipient.to);
}

function whyNot({ channels }: Pick<Engine["parts"], "channels">, { channel, accountId }: AccountAddress): string {
  const status = channels.status().find((one) => one.channel === channel && one.accountId === accountId);
  if (status === undefined) return "it is not known";
  const { state, detail } = status;
  return detail === undefined ? WHY_NOT[state] : `${WHY_NOT[state]}: ${detail}`;
}

/** The owner who was admitted by a code, whose conversation is known; otherwise the first whom the configuration names there. */
async function findOwner(
  { parts, pairing }: Pick<Engine, "parts" | "pairing">,
  { channel, accountId }: AccountAddress,
  options: { readonly signal: AbortSignal },
): Promise<Recipient | undefined> {
  const paired = (await pairing.approved()).find((one) => one.channel === channel && one.accountId === accountId && pairing.isOwner(one));
  if (paired !== undefined) return { to: paired.senderName ?? paired.senderId, target: paired.origin };
  const instance = parts.channels.channelFor({ channel, accountId });
  if (instance === undefined) return undefined;
  const origin: Origin = { channel, accountId, conversation: { kind: "direct", id: "" } };
  const prefixes = [accountPersonId(origin, ""), personId(origin, "")];
  for (const entry of parts.running.config.commands.ownerAllowFrom) {
    const prefix = prefixes.find((one) => entry.startsWith(one));
    const found = prefix === undefined ? undefined : await find(instance, entry.slice(prefix.length), options);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function find(channel: Channel, to: string, options: { readonly signal: AbortSignal }): Promise<Recipient | undefined> {
  try {
    const target = (await channel.resolveTarget(to, options)) ?? (await channel.resolveTarget(`user:${to}`, options));
    return target === undefined ? undefined : { to, target };
  } catch (error) {
    if (!ChannelError.isInstance(error)) throw error;
    throw new RpcError("unavailable", `${error.code}: ${error.message}`, { cause: error });
  }
}

function toResult(receipt: SendReceipt, to: string): ChannelTest {
  switch (receipt.type) {
    case "accepted":
      return { type: "accepted", to, messageIds: receipt.messageIds };
    case "rejected":
      return { type: "rejected", to, reason: receipt.message === undefined ? receipt.code : `${receipt.code}: ${receipt.message}` };
    case "ambiguous":
      return { type: "ambiguous", to, reason: receipt.cause };
  }
}
