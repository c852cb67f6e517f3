import * as z from "zod";
import { parserOf } from "./parser-of.ts";

/** The kinds of sessions, for lists and filters. */
export const SESSION_KINDS = ["main", "group", "cron", "hook", "node", "other"] as const;

/** Kind of a session. */
export type SessionKind = (typeof SESSION_KINDS)[number];

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
  /** The newest run that a person asked for was stopped before it had answered. Only lists tell. */
  readonly interrupted?: boolean;
  readonly model?: string;
  /** Tokens of the context after the last call. */
  readonly contextTokens: number;
  readonly totalTokens: number;
  readonly costUsd?: number;
}

/** Parses a session. */
export const SessionSummarySchema: z.ZodType<SessionSummary> = parserOf<SessionSummary>()(
  z.strictObject({
    key: z.string(),
    sessionId: z.string(),
    agentId: z.string(),
    kind: z.enum(SESSION_KINDS),
    label: z.string().optional(),
    displayName: z.string(),
    channel: z.string().optional(),
    createdAtMs: z.number(),
    activeAtMs: z.number(),
    running: z.boolean(),
    interrupted: z.boolean().optional(),
    model: z.string().optional(),
    contextTokens: z.number(),
    totalTokens: z.number(),
    costUsd: z.number().optional(),
  }),
);

/** What became of an import, or would become of it. */
export interface SessionImportReport {
  readonly imported: readonly {
    readonly key: string;
    readonly sessionId: string;
    readonly entries: number;
    /** What was repaired or left out, in words; the first few. */
    readonly problems: readonly string[];
    /** Where an unreadable transcript was copied to; its session begins empty. */
    readonly keptAside?: string;
  }[];
  /** Keys of conversations that were there already. */
  readonly present: readonly string[];
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
  /** Transcripts in the folder that its index does not name; each can be imported by itself. */
  readonly unlisted: readonly string[];
}

/** Parses such a report. */
export const SessionImportReportSchema: z.ZodType<SessionImportReport> = parserOf<SessionImportReport>()(
  z.strictObject({
    imported: z.array(
      z.strictObject({
        key: z.string(),
        sessionId: z.string(),
        entries: z.number(),
        problems: z.array(z.string()),
        keptAside: z.string().optional(),
      }),
    ),
    present: z.array(z.string()),
    refused: z.array(z.strictObject({ key: z.string(), reason: z.string() })),
    unlisted: z.array(z.string()),
  }),
);
