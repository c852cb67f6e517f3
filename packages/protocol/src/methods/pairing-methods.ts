import * as z from "zod";
import { PairedSenderSchema, PairingRequestSchema, type PairedSender, type PairingRequest } from "../shapes/pairing.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Pairing methods, which admit or reject unknown senders. */
export interface PairingMethods {
  /** Pending requests and admitted senders, each oldest request first. */
  "pairing.list": {
    params: Record<string, never>;
    result: { readonly pending: readonly PairingRequest[]; readonly approved: readonly PairedSender[] };
  };
  /**
   * Admits the sender with this code. `owner` is true if the sender became the owner: the first one ever if there is no owner, unless `guest` is true. Rejects
   * with `not-found` for a code that is unknown, expired or already decided, and with `conflict` if the owner could not be stored; then nothing was approved.
   */
  "pairing.approve": {
    params: { readonly code: string; readonly guest?: boolean };
    result: { readonly sender: PairedSender; readonly owner: boolean };
  };
  /** Rejects the request with this code, without a reply to its sender. */
  "pairing.reject": { params: { readonly code: string }; result: { readonly request: PairingRequest } };
  /** Revokes an approval; false if there is none. */
  "pairing.revoke": {
    params: { readonly channel: string; readonly accountId: string; readonly senderId: string };
    result: { readonly revoked: boolean };
  };
}

const code = z.string().min(1).max(40);
const id = z.string().min(1).max(1000);

/** Rows of the pairing methods. */
export const PAIRING_METHODS: MethodTable<PairingMethods> = defineMethods<PairingMethods>()({
  "pairing.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ pending: z.array(PairingRequestSchema), approved: z.array(PairedSenderSchema) }),
  },
  "pairing.approve": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ code, guest: z.boolean().optional() }),
    result: () => z.strictObject({ sender: PairedSenderSchema, owner: z.boolean() }),
  },
  "pairing.reject": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ code }),
    result: () => z.strictObject({ request: PairingRequestSchema }),
  },
  "pairing.revoke": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ channel: id, accountId: id, senderId: id }),
    result: () => z.strictObject({ revoked: z.boolean() }),
  },
});
