import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** All decisions on a tool call. */
export const APPROVAL_DECISIONS = ["allow-once", "allow-session", "allow-always", "deny"] as const;

/** A decision on a tool call. `allow-session`: equal calls of the conversation too. `allow-always`: equal calls of the agent too. */
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** A tool call that waits for the owner's decision, or was decided on. */
export interface Approval {
  readonly id: string;
  readonly agentId: string;
  readonly sessionKey: string;
  /** Of the tool call in the conversation. */
  readonly callId: string;
  readonly toolName: string;
  /** The whole action, such as the command line. Characters that reorder or hide text are written as their codes. */
  readonly text: string;
  /** The rule that asks. */
  readonly reason: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** True if its turn went on without it: a decision to allow runs it on its own. */
  readonly isParked: boolean;
  /** The decisions that may be made on it. */
  readonly decisions: readonly ApprovalDecision[];
  /** Which sub-agent asks, and who asked, where and in which folder; absent if the owner asked in a direct conversation, without a sub-agent. */
  readonly askedIn?: string;
  readonly decision?: ApprovalDecision;
  readonly decidedAtMs?: number;
}

/** Parses such a call. */
export const ApprovalSchema: z.ZodType<Approval> = parserOf<Approval>()(() =>
  z.strictObject({
    id: z.string(),
    agentId: z.string(),
    sessionKey: z.string(),
    callId: z.string(),
    toolName: z.string(),
    text: z.string(),
    reason: z.string(),
    requestedAtMs: z.number(),
    expiresAtMs: z.number(),
    isParked: z.boolean(),
    decisions: z.array(z.enum(APPROVAL_DECISIONS)),
    askedIn: z.string().optional(),
    decision: z.enum(APPROVAL_DECISIONS).optional(),
    decidedAtMs: z.number().optional(),
  }),
);
