import * as z from "zod";
import { parserOf } from "../parser-of.ts";
import { ContextRequestSchema, type ContextRequest } from "./context.ts";
import { RunUsageSchema, type RunUsage } from "./usage.ts";

/** An event that a turn answers. */
export interface TracedInput {
  readonly id: string;
  readonly channel: string;
  readonly accountId: string;
  /** The platform's id of the conversation. */
  readonly conversation: string;
  readonly sender: string;
  readonly eventId: string;
  readonly messageId: string;
  /** When the platform says that it was sent; absent if it does not. */
  readonly sentAtMs?: number;
  /** When it was stored. */
  readonly receivedAtMs: number;
  /** `answered`, `silent`, `dead` and so on. */
  readonly state: string;
  readonly reason?: string;
  /** The beginning. */
  readonly text: string;
}

/** A tool call of a turn. */
export interface TracedCall {
  readonly name: string;
  readonly callId: string;
  /** When the model's answer with the call was stored. */
  readonly askedAtMs: number;
  /** When its result was stored; absent without a result. */
  readonly endedAtMs?: number;
  readonly isError?: boolean;
  /** When it waited for a person: for the decision on it, or for answers. Absent if it did not; without `untilMs` that has not ended, or it is not known when. */
  readonly waits?: readonly { readonly atMs: number; readonly untilMs?: number }[];
}

/** A part of an answer on its way to the platform. */
export interface TracedSend {
  readonly id: string;
  readonly purpose: "reply" | "tool" | "notice" | "preview";
  readonly channel: string;
  readonly accountId: string;
  readonly conversation: string;
  readonly createdAtMs: number;
  /** When its state became final: when the platform had taken it, or it was given up; absent until then. */
  readonly settledAtMs?: number;
  readonly attempts: number;
  /** `accepted`: the platform has taken it, as `messageIds`. */
  readonly state: "sending" | "suppressed" | "waiting" | "accepted" | "ambiguous" | "dead" | "replaced";
  readonly reason?: string;
  readonly messageIds: readonly string[];
  /** The beginning. */
  readonly text: string;
}

/** What is stored of one message, from its event to the receipts of its answer. Settled events and sends are kept for 14 days, requests for 30. */
export interface MessageTrace {
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** Its number in the conversation. */
  readonly turn: number;
  readonly agentId: string;
  readonly kind: string;
  readonly state: "running" | "done" | "aborted" | "failed";
  readonly failure?: { readonly code: string; readonly message: string };
  /** How often it was started; more than once after crashes. */
  readonly starts: number;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly usage: RunUsage;
  readonly inputs: readonly TracedInput[];
  /** Oldest first. */
  readonly requests: readonly ContextRequest[];
  readonly calls: readonly TracedCall[];
  readonly sends: readonly TracedSend[];
}

const input = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    channel: z.string(),
    accountId: z.string(),
    conversation: z.string(),
    sender: z.string(),
    eventId: z.string(),
    messageId: z.string(),
    sentAtMs: z.number().optional(),
    receivedAtMs: z.number(),
    state: z.string(),
    reason: z.string().optional(),
    text: z.string(),
  }),
);

const call = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    callId: z.string(),
    askedAtMs: z.number(),
    endedAtMs: z.number().optional(),
    isError: z.boolean().optional(),
    waits: z.array(z.strictObject({ atMs: z.number(), untilMs: z.number().optional() })).optional(),
  }),
);

const send = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    purpose: z.enum(["reply", "tool", "notice", "preview"]),
    channel: z.string(),
    accountId: z.string(),
    conversation: z.string(),
    createdAtMs: z.number(),
    settledAtMs: z.number().optional(),
    attempts: z.number(),
    state: z.enum(["sending", "suppressed", "waiting", "accepted", "ambiguous", "dead", "replaced"]),
    reason: z.string().optional(),
    messageIds: z.array(z.string()),
    text: z.string(),
  }),
);

/** Parses a trace. */
export const MessageTraceSchema: z.ZodType<MessageTrace> = parserOf<MessageTrace>()(() =>
  z.strictObject({
    sessionKey: z.string(),
    sessionId: z.string(),
    turnId: z.string(),
    turn: z.number(),
    agentId: z.string(),
    kind: z.string(),
    state: z.enum(["running", "done", "aborted", "failed"]),
    failure: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    starts: z.number(),
    startedAtMs: z.number(),
    endedAtMs: z.number().optional(),
    usage: RunUsageSchema,
    inputs: z.array(input),
    requests: z.array(ContextRequestSchema),
    calls: z.array(call),
    sends: z.array(send),
  }),
);
