import * as z from "zod";

/** One account of a channel, as `status` shows it. */
export interface ChannelStatus {
  readonly channel: string;
  readonly accountId: string;
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped" | "disabled" | "failed";
  readonly detail?: string;
  readonly evidenceAtMs?: number;
}

/** Everything `status` says. Counts of things that ended badly are of the whole store, not since the start. */
export interface GatewayStatus {
  readonly version: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly url: string;
  readonly home: string;
  readonly config: {
    readonly path: string;
    /** SHA-256 of the file as it is on disk and of the configuration that runs; they differ when the file is bad or not applied yet. */
    readonly fileHash?: string;
    readonly runningHash: string;
    readonly problems: readonly string[];
    /** Keys that are set and whose feature this build does not have yet. */
    readonly inactive: readonly string[];
  };
  readonly agents: readonly { readonly id: string; readonly name: string; readonly model: string; readonly modelProblem?: string }[];
  readonly channels: readonly ChannelStatus[];
  readonly sessions: { readonly total: number; readonly running: number };
  readonly inputs: { readonly waiting: number; readonly deadLettered: number };
  readonly outbox: { readonly waiting: number; readonly deadLettered: number; readonly ambiguous: number };
  readonly usage: { readonly totalTokens: number; readonly costUsd?: number };
}

/** Parses a status. */
export const GatewayStatusSchema: z.ZodType<GatewayStatus> = z.strictObject({
  version: z.string(),
  pid: z.number(),
  startedAtMs: z.number(),
  url: z.string(),
  home: z.string(),
  config: z.strictObject({
    path: z.string(),
    fileHash: z.string().optional(),
    runningHash: z.string(),
    problems: z.array(z.string()),
    inactive: z.array(z.string()),
  }),
  agents: z.array(z.strictObject({ id: z.string(), name: z.string(), model: z.string(), modelProblem: z.string().optional() })),
  channels: z.array(
    z.strictObject({
      channel: z.string(),
      accountId: z.string(),
      state: z.enum(["starting", "connected", "degraded", "disconnected", "stopped", "disabled", "failed"]),
      detail: z.string().optional(),
      evidenceAtMs: z.number().optional(),
    }),
  ),
  sessions: z.strictObject({ total: z.number(), running: z.number() }),
  inputs: z.strictObject({ waiting: z.number(), deadLettered: z.number() }),
  outbox: z.strictObject({ waiting: z.number(), deadLettered: z.number(), ambiguous: z.number() }),
  usage: z.strictObject({ totalTokens: z.number(), costUsd: z.number().optional() }),
}) as unknown as z.ZodType<GatewayStatus>;
