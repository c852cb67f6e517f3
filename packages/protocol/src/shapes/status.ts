import * as z from "zod";
import { DamageEventsSchema } from "./damage.ts";
import type { DamageEvent } from "./damage.ts";
import { PairingRequestSchema } from "./pairing.ts";
import type { PairingRequest } from "./pairing.ts";
import { ScheduleStatusSchema, type ScheduleStatus } from "./schedule-status.ts";
import { parserOf } from "../parser-of.ts";

/** One account of a channel, as `status` shows it. */
export interface ChannelStatus {
  readonly channel: string;
  readonly accountId: string;
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped" | "disabled" | "failed";
  readonly detail?: string;
  readonly evidenceAtMs?: number;
  /** When this state was first seen. */
  readonly sinceMs?: number;
  /** When the newest message of the platform was stored, since the start of the gateway. */
  readonly lastInboundAtMs?: number;
  /** The newest thing that was wrong since the start of the gateway, also if it is over. */
  readonly lastProblem?: { readonly text: string; readonly atMs: number };
  /** How events arrive, and what becomes of one that was not acknowledged; absent while the channel could not be created. */
  readonly inbound?: {
    readonly delivery: "redelivers" | "resumes" | "once";
    readonly transport: "webhook" | "connection" | "polling";
  };
  /** Where a started webhook account receives: below `gateway.publicUrl` if there is one, otherwise at the gateway itself. */
  readonly webhookUrl?: string;
  /** True if a file with a secret of the account has another content than when the account was started. */
  readonly hasOldSecret?: boolean;
}

/** One agent, as `status` shows it. */
export interface AgentStatus {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  /** Why the model cannot be used. */
  readonly modelProblem?: string;
  /** Why its newest run failed, for the owner; absent while runs succeed. */
  readonly lastFailure?: { readonly text: string; readonly atMs: number };
  /** Names of the model's credentials in the order in which they are tried; never a key. */
  readonly credentials?: readonly string[];
  /** Settings of the agent that the model does not accept, and what is sent instead. */
  readonly modelNote?: string;
}

/** A model or a credential in cooldown after a failure. */
export interface RestingModel {
  readonly provider: string;
  /** Absent if it applies to all models of the credential. */
  readonly model?: string;
  /** Its name, never the key. */
  readonly credential: string;
  /** Code of the error. */
  readonly reason: string;
  /** `permanent` needs a person; `transient` ends by itself. */
  readonly class: "permanent" | "transient";
  readonly untilMs: number;
}

/** A conversation whose first unsent message waits for a retry. */
export interface BlockedConversation {
  readonly sessionKey: string;
  readonly channel: string;
  readonly accountId: string;
  /** Its id on the platform. */
  readonly conversation: string;
  readonly threadId?: string;
  /** Unsent messages, including the first one. */
  readonly waiting: number;
  /** When the oldest of them was created. */
  readonly sinceMs: number;
  /** The result of the last attempt; begins with its code. */
  readonly reason: string;
  readonly nextTryMs: number;
}

/** A sender who was not admitted, with the number of messages since the start. */
export interface RefusedSender {
  readonly channel: string;
  readonly accountId: string;
  /** A person, or a group as a whole. */
  readonly type: "sender" | "group";
  /** The platform's. */
  readonly id: string;
  readonly count: number;
  readonly lastAtMs: number;
  /** The command that admits them; absent if the id cannot be written in a command. */
  readonly admit?: string;
}

/** The result of `status`. Counts of failures cover the whole store, not only the time since the start. */
export interface GatewayStatus {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly url: string;
  /** `gateway.publicUrl`: where people and platforms reach it from outside. */
  readonly publicUrl?: string;
  readonly home: string;
  readonly config: {
    readonly path: string;
    /** SHA-256 of the file on disk and of the running configuration; they differ if the file is bad or not applied yet. */
    readonly fileHash?: string;
    readonly runningHash: string;
    readonly problems: readonly string[];
    /** Keys changed since the start that take effect only after a restart. */
    readonly needsRestart: readonly string[];
    /** Configured keys whose feature this build does not have yet. */
    readonly inactive: readonly string[];
    /** What the configuration means for commands and for other people's files, in plain words. */
    readonly commandPolicy: readonly string[];
  };
  /** `low`: everything is stored, but little space is left. `full`: no input is accepted until there is space again; `sinceMs` says since when. */
  readonly storage: { readonly state: "ok" | "low" | "full"; readonly detail?: string; readonly sinceMs?: number };
  /** Unacknowledged damage of the stored state, oldest first. */
  readonly damage: readonly DamageEvent[];
  readonly agents: readonly AgentStatus[];
  readonly resting: readonly RestingModel[];
  readonly channels: readonly ChannelStatus[];
  /** Refused messages since the start, and their senders: newest first, at most 20. */
  readonly refused: { readonly messages: number; readonly senders: readonly RefusedSender[] };
  /** People who ask to be admitted, oldest first, and the number of those who were. */
  readonly pairing: { readonly pending: readonly PairingRequest[]; readonly approved: number };
  readonly sessions: { readonly total: number; readonly running: number };
  readonly inputs: { readonly waiting: number; readonly deadLettered: number };
  readonly outbox: {
    /** All rows that are unsent and not being sent right now. */
    readonly waiting: number;
    /** When the oldest of them was written. */
    readonly oldestAtMs?: number;
    readonly deadLettered: number;
    readonly ambiguous: number;
    /** Longest waiting first. */
    readonly blocked: readonly BlockedConversation[];
  };
  readonly schedule: ScheduleStatus;
  readonly usage: { readonly totalTokens: number; readonly costUsd?: number };
}

/** Parses a cooldown. */
export const RestingModelSchema: z.ZodType<RestingModel> = parserOf<RestingModel>()(() =>
  z.strictObject({
    provider: z.string(),
    model: z.string().optional(),
    credential: z.string(),
    reason: z.string(),
    class: z.enum(["permanent", "transient"]),
    untilMs: z.number(),
  }),
);

const outbox = z.lazy(() =>
  z.strictObject({
    waiting: z.number(),
    oldestAtMs: z.number().optional(),
    deadLettered: z.number(),
    ambiguous: z.number(),
    blocked: z.array(
      z.strictObject({
        sessionKey: z.string(),
        channel: z.string(),
        accountId: z.string(),
        conversation: z.string(),
        threadId: z.string().optional(),
        waiting: z.number(),
        sinceMs: z.number(),
        reason: z.string(),
        nextTryMs: z.number(),
      }),
    ),
  }),
);

/** Parses a status. */
export const GatewayStatusSchema: z.ZodType<GatewayStatus> = parserOf<GatewayStatus>()(() =>
  z.strictObject({
    version: z.string(),
    pid: z.number(),
    startedAtMs: z.number(),
    url: z.string(),
    publicUrl: z.string().optional(),
    home: z.string(),
    config: z.strictObject({
      path: z.string(),
      fileHash: z.string().optional(),
      runningHash: z.string(),
      problems: z.array(z.string()),
      needsRestart: z.array(z.string()),
      inactive: z.array(z.string()),
      commandPolicy: z.array(z.string()),
    }),
    storage: z.strictObject({ state: z.enum(["ok", "low", "full"]), detail: z.string().optional(), sinceMs: z.number().optional() }),
    damage: DamageEventsSchema,
    agents: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        model: z.string(),
        modelProblem: z.string().optional(),
        lastFailure: z.strictObject({ text: z.string(), atMs: z.number() }).optional(),
        credentials: z.array(z.string()).optional(),
        modelNote: z.string().optional(),
      }),
    ),
    resting: z.array(RestingModelSchema),
    channels: z.array(
      z.strictObject({
        channel: z.string(),
        accountId: z.string(),
        state: z.enum(["starting", "connected", "degraded", "disconnected", "stopped", "disabled", "failed"]),
        detail: z.string().optional(),
        evidenceAtMs: z.number().optional(),
        sinceMs: z.number().optional(),
        lastInboundAtMs: z.number().optional(),
        lastProblem: z.strictObject({ text: z.string(), atMs: z.number() }).optional(),
        inbound: z
          .strictObject({
            delivery: z.enum(["redelivers", "resumes", "once"]),
            transport: z.enum(["webhook", "connection", "polling"]),
          })
          .optional(),
        webhookUrl: z.string().optional(),
        hasOldSecret: z.boolean().optional(),
      }),
    ),
    refused: z.strictObject({
      messages: z.number(),
      senders: z.array(
        z.strictObject({
          channel: z.string(),
          accountId: z.string(),
          type: z.enum(["sender", "group"]),
          id: z.string(),
          count: z.number(),
          lastAtMs: z.number(),
          admit: z.string().optional(),
        }),
      ),
    }),
    pairing: z.strictObject({ pending: z.array(PairingRequestSchema), approved: z.number() }),
    sessions: z.strictObject({ total: z.number(), running: z.number() }),
    inputs: z.strictObject({ waiting: z.number(), deadLettered: z.number() }),
    outbox,
    schedule: ScheduleStatusSchema,
    usage: z.strictObject({ totalTokens: z.number(), costUsd: z.number().optional() }),
  }),
);
