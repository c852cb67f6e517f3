import type { Origin } from "@factotum/channel-contract";
import type { SessionStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { agentSessionKey } from "../routing/session-key.ts";

/** What finding the owner needs. */
export interface OwnerTargetParts {
  readonly store: Pick<SessionStore, "readSession">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  /** Reads an address as it is configured. */
  readonly findTarget: (to: string, origin: Origin) => Promise<Origin | { readonly refusal: string }>;
}

/**
 * The address of unattended work: `owner` is the direct conversation of the owner's newest message to the agent's main session, `last` the conversation of that
 * message, anything else an address. A text says why it has no address. `fallback`: before the owner has written, an address without a channel is one of this
 * conversation's channel.
 */
export async function ownerTarget(
  { agentId, target, fallback }: { readonly agentId: string; readonly target: string; readonly fallback: Origin },
  { store, running, channels, findTarget }: OwnerTargetParts,
): Promise<Origin | string> {
  const main = await store.readSession(agentSessionKey(agentId, running.config.session.mainKey));
  const newest = main?.lastOrigin;
  if (target !== "owner" && target !== "last") {
    const found = await findTarget(target, newest ?? fallback);
    return "refusal" in found ? found.refusal : found;
  }
  if (main === undefined || newest === undefined) return "the owner has not written yet";
  if (!main.isPrivate) return "others than the owner write into the main session: name an address instead";
  const isDirect = newest.conversation.kind === "direct";
  if (target === "owner" && !isDirect) return "the owner's newest message is not from a direct conversation";
  const isGone = channels.accountFor(newest) === undefined && newest.channel !== "cli" && newest.channel !== "webchat";
  return isGone ? `the account of ${newest.channel} is gone` : newest;
}
