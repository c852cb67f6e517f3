import * as z from "zod";
import { parserOf } from "../parser-of.ts";

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
  /** Shown if there is no label: the channel and its name of the conversation. */
  readonly displayName: string;
  readonly channel?: string;
  readonly createdAtMs: number;
  /** Time of the last message. */
  readonly activeAtMs: number;
  readonly running: boolean;
  /** The newest run requested by a person was stopped before it had answered. Only set in lists. */
  readonly interrupted?: boolean;
  readonly model?: string;
  /** Its own folder, in which the owner's runs work instead of in the agent's workspace. */
  readonly workspace?: string;
  /** Tokens of the context after the last call. */
  readonly contextTokens: number;
  readonly totalTokens: number;
  readonly costUsd?: number;
}

/** Parses a session. */
export const SessionSummarySchema: z.ZodType<SessionSummary> = parserOf<SessionSummary>()(() =>
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
    workspace: z.string().optional(),
    contextTokens: z.number(),
    totalTokens: z.number(),
    costUsd: z.number().optional(),
  }),
);

/** The result of an import or of its dry run. */
export interface SessionImportReport {
  readonly imported: readonly {
    readonly key: string;
    readonly sessionId: string;
    readonly entries: number;
    /** Repairs and omissions, as text; the first few. */
    readonly problems: readonly string[];
    /** Where an unreadable transcript was copied to; its session is empty. */
    readonly keptAside?: string;
  }[];
  /** Keys of conversations that existed already. */
  readonly present: readonly string[];
  readonly refused: readonly { readonly key: string; readonly reason: string }[];
  /** Transcripts in the folder that its index does not name; each can be imported separately. */
  readonly unlisted: readonly string[];
}

/** Parses such a report. */
export const SessionImportReportSchema: z.ZodType<SessionImportReport> = parserOf<SessionImportReport>()(() =>
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
