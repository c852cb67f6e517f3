import * as z from "zod";

/** Kind of a session, for lists and filters (design 04). */
export type SessionKind = "main" | "group" | "cron" | "hook" | "node" | "other";

/** One session in a list. */
export interface SessionSummary {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly kind: SessionKind;
  /** The person's own name for it. */
  readonly label?: string;
  /** Shown when there is no label: the channel and what the conversation is called there. */
  readonly displayName: string;
  readonly channel?: string;
  readonly createdAtMs: number;
  /** When something was last said. */
  readonly activeAtMs: number;
  readonly running: boolean;
  readonly model?: string;
  /** Tokens of the context after the last call. */
  readonly contextTokens: number;
  readonly totalTokens: number;
  readonly costUsd?: number;
}

/** Parses a session. */
export const SessionSummarySchema: z.ZodType<SessionSummary> = z.strictObject({
  key: z.string(),
  sessionId: z.string(),
  agentId: z.string(),
  kind: z.enum(["main", "group", "cron", "hook", "node", "other"]),
  label: z.string().optional(),
  displayName: z.string(),
  channel: z.string().optional(),
  createdAtMs: z.number(),
  activeAtMs: z.number(),
  running: z.boolean(),
  model: z.string().optional(),
  contextTokens: z.number(),
  totalTokens: z.number(),
  costUsd: z.number().optional(),
}) as unknown as z.ZodType<SessionSummary>;
