import type { JobSpec } from "@factotum/agent-contract";
import type { JobAuthority } from "@factotum/store";
import { agentSessionKey } from "../routing/session-key.ts";
import { GATEWAY_SENDER, sessionOrigin } from "../routing/session-origin.ts";
import { ownerTarget, type OwnerTargetParts } from "./owner-target.ts";

/** The owner's authority in an agent's main session, for what is made outside a conversation. Without an address of a platform. */
export function mainAuthority(agentId: string, mainKey: string): JobAuthority {
  const sessionKey = agentSessionKey(agentId, mainKey);
  return { owner: true, sender: GATEWAY_SENDER, origin: sessionOrigin(sessionKey), sessionKey };
}

/**
 * The authority of a job that the owner makes at the command line or on the page: it reports to the owner's newest direct conversation with the agent. A text
 * says why a job that announces its outcome there cannot be made; one with an address of its own, or that announces nothing, needs no such conversation.
 */
export async function ownerAuthority(
  agentId: string,
  { delivery = { type: "announce" } }: Pick<JobSpec, "delivery">,
  parts: OwnerTargetParts,
): Promise<JobAuthority | string> {
  const authority = mainAuthority(agentId, parts.running.config.session.mainKey);
  const address = await ownerTarget({ agentId, target: "owner", fallback: authority.origin }, parts);
  const needsAddress = delivery.type === "announce" && delivery.to === undefined;
  if (typeof address === "string" && needsAddress)
    return `The job has nowhere to report: ${address}. Name an address (<channel>:<chat id>), or have it announce nothing.`;
  return typeof address === "string" ? authority : { ...authority, origin: address };
}
