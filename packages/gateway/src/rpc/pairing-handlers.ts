import type { PairedSender, PairingRequest, RpcMethod } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import type { PairingRecord } from "@factotum/store";
import type { PairingService } from "../ingress/pairing-service.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods that decide who is admitted. */
export function pairingHandlers(pairing: PairingService): RpcHandlersOf<Extract<RpcMethod, `pairing.${string}`>> {
  return {
    "pairing.list": async () => ({
      pending: pairing.pending().map(pairingRequest),
      approved: (await pairing.approved()).map((one) => pairedSender(one, pairing)),
    }),
    "pairing.approve": async ({ code, guest }) => {
      const approved = await pairing.approve(code, { guest: guest ?? false });
      return { sender: pairedSender(approved.pairing, pairing), owner: approved.owner };
    },
    "pairing.reject": async ({ code }) => ({ request: pairingRequest(await pairing.reject(code)) }),
    "pairing.revoke": async (sender) => ({ revoked: await pairing.revoke(sender) }),
  };
}

/** A pending request for clients. */
export function pairingRequest(pairing: PairingRecord): PairingRequest {
  const { code, requestedAtMs, expiresAtMs } = pairing;
  return { ...senderOf(pairing), code, requestedAtMs, expiresAtMs };
}

function pairedSender(record: PairingRecord, pairing: PairingService): PairedSender {
  return { ...senderOf(record), owner: pairing.isOwner(record), ...withoutUndefined({ approvedAtMs: record.approvedAtMs }) };
}

function senderOf({ channel, accountId, senderId, senderName }: PairingRecord): Omit<PairedSender, "approvedAtMs" | "owner"> {
  return { channel, accountId, senderId, ...withoutUndefined({ senderName }) };
}
