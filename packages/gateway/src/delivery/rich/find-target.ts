import type { MessengerRequest } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { Channel, Origin } from "@factotum/channel-contract";
import type { ChannelRegistry } from "../../channels/channel-registry.ts";
import { isSameChat } from "../../kernel/conversation-key.ts";

type Address = Pick<MessengerRequest, "channel" | "target" | "threadId">;

/** The run's own origin, or the address that the call names; never a guess (R4). */
export async function findTarget(
  address: Address,
  origin: Origin,
  { channels, signal }: { readonly channels: ChannelRegistry; readonly signal: AbortSignal },
): Promise<{ readonly target: Origin; readonly channel: Channel } | { readonly refusal: string }> {
  const found = await findConversation(address, origin, { channels, signal });
  if ("refusal" in found) return found;
  const channel = channels.channelFor(found);
  if (channel === undefined)
    return { refusal: `There is no running channel behind this conversation (${found.channel}). Answer in your reply instead.` };
  const { threadId } = address;
  if (threadId === undefined || threadId === found.conversation.threadId) return { target: found, channel };
  if (channel.capabilities.threads !== "native") return { refusal: `There are no threads on ${found.channel}.` };
  return { target: { ...found, conversation: { ...found.conversation, threadId } }, channel };
}

async function findConversation(
  { channel: named, target }: Address,
  origin: Origin,
  { channels, signal }: { readonly channels: ChannelRegistry; readonly signal: AbortSignal },
): Promise<Origin | { readonly refusal: string }> {
  if (target === undefined) {
    if (named === undefined || named === origin.channel) return origin;
    return { refusal: `To send on another channel (${named}) name a target there: a conversation id, user:<id> or channel:<id>.` };
  }
  const channelId = named ?? origin.channel;
  if (channelId === origin.channel && target === origin.conversation.id) return origin;
  const channel = channelId === origin.channel ? channels.channelFor(origin) : accountOf(channelId, channels);
  if (channel === undefined) return { refusal: `There is no running channel "${channelId}".` };
  if ("refusal" in channel) return channel;
  const found = (await channel.resolveTarget(target, { signal })) ?? (await findByName(channel, target, { signal }));
  if (found === undefined)
    return { refusal: `"${target}" is no address on ${channelId}, or more than one. Use an exact id: user:<id> or channel:<id>.` };
  if ("refusal" in found) return found;
  // A platform may know less about a conversation than the run from it: its kind, its thread.
  return isSameChat(found, origin) ? origin : found;
}

/** The channel of `channel`, or of `channel:account`; a channel alone is its account `default`, or the only one. */
function accountOf(named: string, channels: ChannelRegistry): Channel | { readonly refusal: string } | undefined {
  const [channelId = "", accountId] = named.split(":");
  const accounts = channels.accountsOf(channelId);
  const only = accounts.length === 1 ? accounts[0] : undefined;
  const wanted = accountId ?? (accounts.includes("default") ? "default" : only);
  const channel = wanted === undefined ? undefined : channels.channelFor({ channel: channelId, accountId: wanted });
  if (channel !== undefined || accounts.length === 0) return channel;
  const names = accounts.map((account) => `${channelId}:${account}`).join(", ");
  return { refusal: `"${named}" is no account; name one of these as the channel: ${names}.` };
}

/** Entries of a directory that are compared with a name. */
const MAX_ENTRIES = 20;

/** The one entry of the channel's directory that has this name; never one of several. */
async function findByName(
  channel: Channel,
  name: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<Origin | { readonly refusal: string } | undefined> {
  if (channel.capabilities.optional?.includes("directory") !== true || channel.directory === undefined) return undefined;
  const folded = name.replace(/^[@#]/, "").toLowerCase();
  try {
    const entries = await channel.directory(folded, { signal, limit: MAX_ENTRIES });
    const named = entries.filter((entry) => entry.name?.toLowerCase() === folded);
    const [only, ...others] = named;
    if (only === undefined) return undefined;
    const address = (entry: (typeof named)[number]): string => `${entry.type === "person" ? "user" : "channel"}:${entry.id}`;
    if (others.length > 0) return { refusal: `Several have the name "${name}": ${named.map(address).join(", ")}. Use one of these.` };
    return await channel.resolveTarget(address(only), { signal });
  } catch (error) {
    if (!ChannelError.isInstance(error)) throw error;
    return { refusal: `The platform did not look up "${name}": ${error.message}` };
  }
}
