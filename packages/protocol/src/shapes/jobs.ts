import * as z from "zod";
import { parserOf } from "../parser-of.ts";
import { THINKING_LEVEL_IDS, type ThinkingLevelId } from "./session-settings.ts";

/** When a job falls due: once, in elapsed time, or at the local times of a cron expression. Local times without a `timezone` are in the agent's. */
export type ScheduleShape =
  | { readonly type: "at"; readonly at: string; readonly timezone?: string }
  | { readonly type: "every"; readonly every: string; readonly anchor?: string; readonly timezone?: string }
  | { readonly type: "cron"; readonly cron: string; readonly timezone?: string; readonly exact?: boolean };

/** Parses a schedule. Whether its times can be computed is said by `cron.preview`. */
export const ScheduleShapeSchema: z.ZodType<ScheduleShape> = parserOf<ScheduleShape>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("at"), at: z.string(), timezone: z.string().optional() }),
    z.strictObject({
      type: z.literal("every"),
      every: z.string(),
      anchor: z.string().optional(),
      timezone: z.string().optional(),
    }),
    z.strictObject({ type: z.literal("cron"), cron: z.string(), timezone: z.string().optional(), exact: z.boolean().optional() }),
  ]),
);

/** A scheduled job as it is asked for. Defaults and rules are those of the tool `cron`. */
export interface JobShape {
  readonly name: string;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly schedule: ScheduleShape;
  readonly payload:
    | { readonly type: "agentTurn"; readonly message: string }
    | { readonly type: "message"; readonly text: string }
    | { readonly type: "systemEvent"; readonly text: string; readonly wake?: "now" | "next-heartbeat" }
    | { readonly type: "command"; readonly argv: readonly string[]; readonly cwd?: string };
  readonly session?: "isolated" | "main" | { readonly key: string };
  readonly delivery?:
    | { readonly type: "announce"; readonly to?: string }
    | { readonly type: "webhook"; readonly url: string; readonly secret?: string }
    | { readonly type: "none" };
  readonly check?:
    | { readonly type: "argv"; readonly argv: readonly string[] }
    | { readonly type: "url"; readonly url: string }
    | { readonly type: "fileChanged"; readonly path: string };
  readonly model?: string;
  readonly thinking?: ThinkingLevelId;
  readonly timeoutSeconds?: number;
  readonly lightContext?: boolean;
  readonly tools?: readonly string[];
  readonly catchUp?: { readonly mode: "skip" | "once" | "all"; readonly maxAge?: string };
  readonly overlap?: "skip" | "queue" | "replace";
  readonly deleteAfterRun?: boolean;
}

const argv = z.array(z.string()).min(1).max(100);

/** The fields of a job, for a schema of whole jobs and one of changes. */
const jobFields = {
  name: z.string(),
  description: z.string().max(1000).optional(),
  enabled: z.boolean().optional(),
  schedule: ScheduleShapeSchema,
  payload: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("agentTurn"), message: z.string() }),
    z.strictObject({ type: z.literal("message"), text: z.string() }),
    z.strictObject({ type: z.literal("systemEvent"), text: z.string(), wake: z.enum(["now", "next-heartbeat"]).optional() }),
    z.strictObject({ type: z.literal("command"), argv, cwd: z.string().optional() }),
  ]),
  session: z.union([z.literal("isolated"), z.literal("main"), z.strictObject({ key: z.string() })]).optional(),
  delivery: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("announce"), to: z.string().optional() }),
      z.strictObject({ type: z.literal("webhook"), url: z.string(), secret: z.string().optional() }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  check: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("argv"), argv }),
      z.strictObject({ type: z.literal("url"), url: z.string() }),
      z.strictObject({ type: z.literal("fileChanged"), path: z.string() }),
    ])
    .optional(),
  model: z.string().optional(),
  thinking: z.enum(THINKING_LEVEL_IDS).optional(),
  timeoutSeconds: z.number().optional(),
  lightContext: z.boolean().optional(),
  tools: z.array(z.string()).max(200).optional(),
  catchUp: z.strictObject({ mode: z.enum(["skip", "once", "all"]), maxAge: z.string().optional() }).optional(),
  overlap: z.enum(["skip", "queue", "replace"]).optional(),
  deleteAfterRun: z.boolean().optional(),
};

/** The parts of a job that have a default. */
export const OPTIONAL_JOB_PARTS: readonly [
  "description",
  "session",
  "delivery",
  "check",
  "model",
  "thinking",
  "timeoutSeconds",
  "lightContext",
  "tools",
  "catchUp",
  "overlap",
  "deleteAfterRun",
] = [
  "description",
  "session",
  "delivery",
  "check",
  "model",
  "thinking",
  "timeoutSeconds",
  "lightContext",
  "tools",
  "catchUp",
  "overlap",
  "deleteAfterRun",
];

/** Name of such a part. */
export type OptionalJobPart = (typeof OPTIONAL_JOB_PARTS)[number];

/** Parses a job. */
export const JobShapeSchema: z.ZodType<JobShape> = parserOf<JobShape>()(() => z.strictObject(jobFields));

/** Parses a change of a job: its parts replace those of the job. */
export const JobChangeShapeSchema: z.ZodType<Partial<JobShape>> = parserOf<Partial<JobShape>>()(() => z.strictObject(jobFields).partial());

/** The outcome of one slot. Each slot has exactly one. */
export interface OccurrenceShape {
  readonly jobId: string;
  /** The planned instant. */
  readonly slotMs: number;
  readonly state: "claimed" | "running" | "done" | "failed" | "skipped" | "missed";
  readonly attempt: number;
  /** Asked for by a person. */
  readonly isManual?: true;
  readonly reason?: string;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  /** The beginning of what it said. */
  readonly text?: string;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly sessionKey?: string;
  /** What is known of what it has sent. */
  readonly receipt?: "delivered" | "ambiguous" | "undelivered";
  /** Of a row that stands for several missed slots. */
  readonly count?: number;
  /** The earliest start of the next attempt. */
  readonly notBeforeMs?: number;
}

/** Parses an outcome. */
export const OccurrenceShapeSchema: z.ZodType<OccurrenceShape> = parserOf<OccurrenceShape>()(() =>
  z.strictObject({
    jobId: z.string(),
    slotMs: z.number(),
    state: z.enum(["claimed", "running", "done", "failed", "skipped", "missed"]),
    attempt: z.number(),
    isManual: z.literal(true).optional(),
    reason: z.string().optional(),
    startedAtMs: z.number().optional(),
    endedAtMs: z.number().optional(),
    text: z.string().optional(),
    tokens: z.number().optional(),
    costUsd: z.number().optional(),
    sessionKey: z.string().optional(),
    receipt: z.enum(["delivered", "ambiguous", "undelivered"]).optional(),
    count: z.number().optional(),
    notBeforeMs: z.number().optional(),
  }),
);

/** A job with its state. */
export interface JobSummary {
  readonly id: string;
  readonly agentId: string;
  readonly spec: JobShape;
  readonly createdAtMs: number;
  /** The session in which it was made. */
  readonly createdIn: string;
  /** Absent: it will not run again. */
  readonly nextAtMs?: number;
  readonly last?: OccurrenceShape;
  /** In a row. */
  readonly failures: number;
  /** Why the gateway has disabled it. */
  readonly disabledBecause?: string;
}

/** Parses a job with its state. */
export const JobSummarySchema: z.ZodType<JobSummary> = parserOf<JobSummary>()(() =>
  z.strictObject({
    id: z.string(),
    agentId: z.string(),
    spec: JobShapeSchema,
    createdAtMs: z.number(),
    createdIn: z.string(),
    nextAtMs: z.number().optional(),
    last: OccurrenceShapeSchema.optional(),
    failures: z.number(),
    disabledBecause: z.string().optional(),
  }),
);

/** What a job may do. It never has more than its maker had, and its tools are those of `spec.tools`, or those of its session. */
export interface JobGrants {
  /** It runs with the owner's authority. Otherwise it runs in the sandbox, and reports to the conversation in which it was made alone. */
  readonly owner: boolean;
  /** The name of its maker, which may be text of others; absent: it was made outside of a conversation, at the command line or on the page. */
  readonly madeBy?: string;
  /** The programs that it runs: their files, and what has allowed them. `mode`: commands ran without asking then. */
  readonly programs: readonly { readonly files: readonly string[]; readonly allowedBy: "owner" | "approval" | "mode" }[];
  /** Why its programs are not run now. */
  readonly problem?: string;
}

/** Parses what a job may do. */
export const JobGrantsSchema: z.ZodType<JobGrants> = parserOf<JobGrants>()(() =>
  z.strictObject({
    owner: z.boolean(),
    madeBy: z.string().optional(),
    programs: z.array(z.strictObject({ files: z.array(z.string()), allowedBy: z.enum(["owner", "approval", "mode"]) })),
    problem: z.string().optional(),
  }),
);

/** The heartbeat of an agent. */
export interface HeartbeatSummary {
  readonly agentId: string;
  /** Absent: it is off. */
  readonly on?: {
    /** A duration, such as `30m`. */
    readonly every: string;
    /** `owner`, `last`, `none`, or an address. */
    readonly target: string;
    /** What the agent is asked. */
    readonly prompt: string;
    /** The end is not part of them; times in the agent's zone without a `timezone`. */
    readonly activeHours?: { readonly start: string; readonly end: string; readonly timezone?: string | undefined };
    readonly model?: string;
    readonly sessionKey: string;
    readonly nextAtMs?: number;
    readonly last?: OccurrenceShape;
    /** In a row. */
    readonly failures: number;
  };
}

/** Parses a heartbeat. */
export const HeartbeatSummarySchema: z.ZodType<HeartbeatSummary> = parserOf<HeartbeatSummary>()(() =>
  z.strictObject({
    agentId: z.string(),
    on: z
      .strictObject({
        every: z.string(),
        target: z.string(),
        prompt: z.string(),
        activeHours: z.strictObject({ start: z.string(), end: z.string(), timezone: z.string().optional() }).optional(),
        model: z.string().optional(),
        sessionKey: z.string(),
        nextAtMs: z.number().optional(),
        last: OccurrenceShapeSchema.optional(),
        failures: z.number(),
      })
      .optional(),
  }),
);
