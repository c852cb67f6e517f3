import type { Origin } from "@factotum/channel-contract";
import type { SessionStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { agentSessionKey } from "../routing/session-key.ts";

/** Where an owner is looked for. */
export interface OwnerAddressParts {
  readonly store: Pick<SessionStore, "readSession">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
}

/**
 * The address of the owner's newest message to an agent: a direct conversation with `owner`, any with `last`. A text says why there is none.
 */
export async function ownerAddress(
  agentId: string,
  which: "owner" | "last",
  { store, running, channels }: OwnerAddressParts,
): Promise<Origin | string> {
  const main = await store.readSession(agentSessionKey(agentId, running.config.session.mainKey));
  const newest = main?.lastOrigin;
  if (main === undefined || newest === undefined) return "the owner has not written yet";
  if (!main.isPrivate) return "others than the owner write into the main session: name an address as agents.*.heartbeat.target";
  const isDirect = newest.conversation.kind === "direct";
  if (which === "owner" && !isDirect) return "the owner's newest message is not from a direct conversation";
  const isGone = channels.accountFor(newest) === undefined && newest.channel !== "cli" && newest.channel !== "webchat";
  return isGone ? `the account of ${newest.channel} is gone` : newest;
}
