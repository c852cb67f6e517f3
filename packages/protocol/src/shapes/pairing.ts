import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** A person on one account; ids are the platform's. */
export interface PairedSender {
  readonly channel: string;
  readonly accountId: string;
  readonly senderId: string;
  /** The name that the person has given themself: for display only. */
  readonly senderName?: string;
  readonly approvedAtMs?: number;
  /** True if `commands.ownerAllowFrom` names the person; everyone else is a guest. */
  readonly owner: boolean;
}

/** A person who asks to be admitted. */
export interface PairingRequest extends Omit<PairedSender, "approvedAtMs" | "owner"> {
  readonly code: string;
  readonly requestedAtMs: number;
  /** When the code stops being valid. */
  readonly expiresAtMs: number;
}

const sender = { channel: z.string(), accountId: z.string(), senderId: z.string(), senderName: z.string().optional() };

/** Parses an admitted sender. */
export const PairedSenderSchema: z.ZodType<PairedSender> = parserOf<PairedSender>()(() =>
  z.strictObject({ ...sender, approvedAtMs: z.number().optional(), owner: z.boolean() }),
);

/** Parses a request to be admitted. */
export const PairingRequestSchema: z.ZodType<PairingRequest> = parserOf<PairingRequest>()(() =>
  z.strictObject({ ...sender, code: z.string(), requestedAtMs: z.number(), expiresAtMs: z.number() }),
);
