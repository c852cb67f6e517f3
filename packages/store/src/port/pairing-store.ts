import type { Origin } from "@factotum/channel-contract";
import type { AccountKey } from "./account-store.ts";
import type { NewOutbound } from "./outbox-store.ts";
import type { OutboxRecord } from "./outbox-records.ts";

/** One person on one account; the id is the platform's, compared exactly. */
export interface PairingSender extends AccountKey {
  readonly senderId: string;
}

/** A person who asked to talk to the assistant, or who was admitted. */
export interface PairingRecord extends PairingSender {
  /** As the sender calls themself: for display only, never matched. */
  readonly senderName?: string;
  /** The direct conversation in which the person asked. */
  readonly origin: Origin;
  readonly code: string;
  readonly state: "pending" | "approved";
  readonly requestedAtMs: number;
  /** When the code stops being valid; an approval does not expire. */
  readonly expiresAtMs: number;
  readonly approvedAtMs?: number;
}

/** A request of a sender who is not admitted. */
export type NewPairing = Pick<PairingRecord, "channel" | "accountId" | "senderId" | "senderName" | "origin" | "code" | "expiresAtMs">;

/**
 * The result of a request. `known`: the sender has a code, or was rejected, and that has not expired. `full`: the account has as many pending requests as it may
 * have. `admitted`: the sender was approved meanwhile.
 */
export type PairingRequest =
  | { readonly type: "created"; readonly pairing: PairingRecord; readonly outbox: readonly OutboxRecord[] }
  | { readonly type: "known" | "full" | "admitted" };

/** Requests to be admitted, and who was. Expired requests count as absent. */
export interface PairingStore {
  /**
   * Stores a request with its reply and settles the input that caused it as `ignored`, in one commit; a sender who gets no code gets no reply. Rejects with
   * `conflict` if another request has the code, and changes nothing then.
   */
  requestPairing(
    pairing: NewPairing,
    options: {
      readonly inputId: string;
      readonly nowMs: number;
      readonly maxPending: number;
      readonly reply: readonly NewOutbound[];
    },
  ): Promise<PairingRequest>;
  /** Pending requests, or approved senders; oldest request first. */
  listPairings(state: PairingRecord["state"], options: { readonly nowMs: number }): Promise<readonly PairingRecord[]>;
  /** The pending request with this code. */
  findPairing(code: string, options: { readonly nowMs: number }): Promise<PairingRecord | undefined>;
  /** True if a sender was ever approved, even if the approval was revoked. */
  hasEverPaired(): Promise<boolean>;
  /** Approves the pending request with this code and stores the message to the sender, in one commit. Rejects with `not-found`. */
  approvePairing(
    code: string,
    options: { readonly nowMs: number; readonly reply: readonly NewOutbound[] },
  ): Promise<{ readonly pairing: PairingRecord; readonly outbox: readonly OutboxRecord[] }>;
  /** Ends the pending request with this code. The sender gets no other one before it would have expired. Rejects with `not-found`. */
  rejectPairing(code: string, options: { readonly nowMs: number }): Promise<PairingRecord>;
  /** Withdraws an approval; false if there is none. The sender may ask again. */
  revokePairing(sender: PairingSender): Promise<boolean>;
}
