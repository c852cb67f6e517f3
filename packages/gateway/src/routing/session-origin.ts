import type { Origin, Sender } from "@factotum/channel-contract";

/** The sender of what no person has sent: heartbeats, jobs of the command line, requests of webhooks, events. */
export const GATEWAY_SENDER: Sender = { id: "factotum", isBot: false };

/** The address of a session itself: what is sent there stays in it, since no platform has such an address. */
export function sessionOrigin(sessionKey: string): Origin {
  return { channel: "cli", accountId: "default", conversation: { kind: "direct", id: sessionKey } };
}
