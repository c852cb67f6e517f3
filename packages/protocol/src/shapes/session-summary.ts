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
  /** Kept at the top of lists. */
  readonly pinned?: true;
  /** Put away, until a person writes in it. */
  readonly archived?: true;
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
    pinned: z.literal(true).optional(),
    archived: z.literal(true).optional(),
    workspace: z.string().optional(),
    contextTokens: z.number(),
    totalTokens: z.number(),
    costUsd: z.number().optional(),
  }),
);

/** A conversation whose title has the words. */
export interface SessionTitleHit {
  readonly key: string;
  readonly title: string;
  readonly activeAtMs: number;
}

/** A message that has the words. */
export interface SessionTextHit {
  readonly key: string;
  readonly title: string;
  /** That of the transcript; another one than the session has now if the conversation was reset since. */
  readonly sessionId: string;
  readonly isCurrent: boolean;
  /** It is on a branch of the conversation that is not shown; `chat.branch` shows it. */
  readonly isHidden?: true;
  readonly entryId: string;
  readonly turnId?: string;
  readonly role: "user" | "assistant";
  readonly timestampMs: number;
  /** The text around the first match. */
  readonly snippet: string;
  /** Where the words are in the snippet: first and last character, exclusive. */
  readonly matches: readonly (readonly [start: number, end: number])[];
}

/** What a search has found. */
export interface SessionSearchResult {
  /** Only on the first page. */
  readonly titles: readonly SessionTitleHit[];
  /** Newest first. */
  readonly hits: readonly SessionTextHit[];
  /** Messages since then were looked at; absent without messages. */
  readonly searchedSinceMs?: number;
  /** There are older messages, which this continues with. */
  readonly cursor?: string;
}

/** Parses what a search has found. */
export const SessionSearchResultSchema: z.ZodType<SessionSearchResult> = parserOf<SessionSearchResult>()(() =>
  z.strictObject({
    titles: z.array(z.strictObject({ key: z.string(), title: z.string(), activeAtMs: z.number() })),
    hits: z.array(
      z.strictObject({
        key: z.string(),
        title: z.string(),
        sessionId: z.string(),
        isCurrent: z.boolean(),
        isHidden: z.literal(true).optional(),
        entryId: z.string(),
        turnId: z.string().optional(),
        role: z.enum(["user", "assistant"]),
        timestampMs: z.number(),
        snippet: z.string(),
        matches: z.array(z.tuple([z.number(), z.number()])),
      }),
    ),
    searchedSinceMs: z.number().optional(),
    cursor: z.string().optional(),
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
