import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** The memory of an agent, and what is not searched. */
export interface MemoryState {
  readonly agentId: string;
  /** `notes`, or the plugin that `memory.provider` names. */
  readonly provider: string;
  /** It answers searches. */
  readonly works: boolean;
  readonly files: number;
  /** Conversations of which something is indexed; absent: they are not searched. */
  readonly conversations?: number;
  /** Passages. */
  readonly chunks: number;
  /** Of the index on the disk. */
  readonly sizeBytes?: number;
  /** When the index last changed; absent: it has not been filled. */
  readonly indexedAtMs?: number;
  /** The model that compares texts by their meaning, and how many passages have a vector of it; absent: words alone are compared. */
  readonly embedded?: { readonly model: string; readonly chunks: number };
  /** What is wrong, or left out, each a sentence. */
  readonly problems: readonly string[];
}

/** A passage that matches a search. Lines count from 1 and are inclusive. */
export interface MemorySearchHit {
  /** A note, relative to the workspace or absolute; what was said as `<session id>#<entry id>`. */
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  readonly source: "notes" | "sessions";
  /** `untrusted`: it may hold text of others. */
  readonly origin: "owner" | "agent" | "untrusted" | "system";
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly day?: string;
}

/** A file or a conversation that an update of the index found changed. */
export interface MemoryFileChange {
  /** Of a conversation its session id. */
  readonly path: string;
  readonly type: "added" | "changed" | "removed";
}

/** A note that can be read and written. */
export interface MemoryFile {
  /** Relative to the workspace: `MEMORY.md`, `USER.md`, or a Markdown file in `memory`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly changedAtMs: number;
}

/** The text of a note. */
export interface MemoryText {
  readonly agentId: string;
  readonly path: string;
  /** Secrets that the gateway knows are replaced by marks. */
  readonly text: string;
  /** Identifies the note as it is, for a change. */
  readonly baseHash: string;
  /** It may hold text of others. */
  readonly untrusted: boolean;
  /** It has secrets, which are hidden. */
  readonly hasSecrets: boolean;
}

/** A note that has versions. */
export interface MemoryNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly count: number;
  readonly newestAtMs: number;
}

/** What a note held before a change. */
export interface MemoryNoteVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others. */
  readonly untrusted: boolean;
}

/** What is wrong with an entry or a note. */
export interface MemoryFinding {
  readonly type: "untrusted" | "junk" | "duplicate" | "over-budget" | "secret";
  /** A sentence. */
  readonly message: string;
}

/** The turn that wrote an entry. */
export interface MemoryEntrySource {
  /** What started the run. */
  readonly kind: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly atMs: number;
}

/** An entry of a note, such as an item of a list. Lines count from 1 and are inclusive. */
export interface MemoryAuditEntry {
  readonly startLine: number;
  readonly endLine: number;
  /** Secrets are redacted. */
  readonly text: string;
  /** Absent: no tool wrote it; by hand, or by a command. */
  readonly origin?: "owner" | "agent" | "untrusted" | "system";
  readonly source?: MemoryEntrySource;
  readonly findings: readonly MemoryFinding[];
}

/** A note that was examined. */
export interface MemoryAuditNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly chars: number;
  /** How many characters of it conversations are shown; absent for daily notes. */
  readonly maxChars?: number;
  readonly findings: readonly MemoryFinding[];
  readonly entries: readonly MemoryAuditEntry[];
}

/** Parses a note that was examined. */
export const MemoryAuditNoteSchema: z.ZodType<MemoryAuditNote> = parserOf<MemoryAuditNote>()(() => {
  const findings = z.array(
    z.strictObject({ type: z.enum(["untrusted", "junk", "duplicate", "over-budget", "secret"]), message: z.string() }),
  );
  const source = z.strictObject({
    kind: z.string(),
    sessionKey: z.string(),
    sessionId: z.string(),
    turnId: z.string(),
    atMs: z.number(),
  });
  const entry = z.strictObject({
    startLine: z.number(),
    endLine: z.number(),
    text: z.string(),
    origin: z.enum(["owner", "agent", "untrusted", "system"]).optional(),
    source: source.optional(),
    findings,
  });
  return z.strictObject({ path: z.string(), chars: z.number(), maxChars: z.number().optional(), findings, entries: z.array(entry) });
});

/** Parses a note. */
export const MemoryFileSchema: z.ZodType<MemoryFile> = parserOf<MemoryFile>()(() =>
  z.strictObject({ path: z.string(), sizeBytes: z.number(), changedAtMs: z.number() }),
);

/** Parses the text of a note. */
export const MemoryTextSchema: z.ZodType<MemoryText> = parserOf<MemoryText>()(() =>
  z.strictObject({
    agentId: z.string(),
    path: z.string(),
    text: z.string(),
    baseHash: z.string(),
    untrusted: z.boolean(),
    hasSecrets: z.boolean(),
  }),
);

/** Parses a note with versions. */
export const MemoryNoteSchema: z.ZodType<MemoryNote> = parserOf<MemoryNote>()(() =>
  z.strictObject({ path: z.string(), count: z.number(), newestAtMs: z.number() }),
);

/** Parses a version. */
export const MemoryNoteVersionSchema: z.ZodType<MemoryNoteVersion> = parserOf<MemoryNoteVersion>()(() =>
  z.strictObject({ id: z.string(), atMs: z.number(), sizeBytes: z.number(), untrusted: z.boolean() }),
);

/** Parses the state of a memory. */
export const MemoryStateSchema: z.ZodType<MemoryState> = parserOf<MemoryState>()(() =>
  z.strictObject({
    agentId: z.string(),
    provider: z.string(),
    works: z.boolean(),
    files: z.number(),
    conversations: z.number().optional(),
    chunks: z.number(),
    sizeBytes: z.number().optional(),
    indexedAtMs: z.number().optional(),
    embedded: z.strictObject({ model: z.string(), chunks: z.number() }).optional(),
    problems: z.array(z.string()),
  }),
);

/** Parses a hit. */
export const MemorySearchHitSchema: z.ZodType<MemorySearchHit> = parserOf<MemorySearchHit>()(() =>
  z.strictObject({
    path: z.string(),
    startLine: z.number(),
    endLine: z.number(),
    text: z.string(),
    score: z.number(),
    source: z.enum(["notes", "sessions"]),
    origin: z.enum(["owner", "agent", "untrusted", "system"]),
    day: z.string().optional(),
  }),
);

/** Parses a change. */
export const MemoryFileChangeSchema: z.ZodType<MemoryFileChange> = parserOf<MemoryFileChange>()(() =>
  z.strictObject({ path: z.string(), type: z.enum(["added", "changed", "removed"]) }),
);

/** What to forget: everything of a session, every exchange of a time, or every exchange and line with a text. */
export type MemoryForgetScope =
  | { readonly type: "session"; readonly sessionKey: string }
  /** From, inclusive, to, exclusive; milliseconds since the epoch. Until now without `toMs`. */
  | { readonly type: "span"; readonly fromMs: number; readonly toMs?: number }
  /** Upper and lower case are the same. */
  | { readonly type: "search"; readonly text: string };

/** Parses what to forget. */
export const MemoryForgetScopeSchema: z.ZodType<MemoryForgetScope> = parserOf<MemoryForgetScope>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("session"), sessionKey: z.string().min(1).max(1000) }),
    z.strictObject({ type: z.literal("span"), fromMs: z.number(), toMs: z.number().optional() }),
    z.strictObject({ type: z.literal("search"), text: z.string().max(1000) }),
  ]),
);

/** What is forgotten, or would be. */
export interface MemoryForgetReport {
  /** `nothing`: there is nothing of it. `restarting`: it is decided, and forgotten by the start that follows at once. */
  readonly type: "planned" | "nothing" | "restarting";
  /** Rows and files, by what they are called. */
  readonly counts: Readonly<Record<string, number>>;
  /** Notes that lose lines, or everything (`removed`); relative to the workspace. */
  readonly notes: readonly { readonly path: string; readonly lines: number; readonly removed: boolean }[];
  /** Copies that may hold it and are not touched: backups and earlier state directories. */
  readonly untouched: readonly string[];
}

/** Parses what is forgotten. */
export const MemoryForgetReportSchema: z.ZodType<MemoryForgetReport> = parserOf<MemoryForgetReport>()(() =>
  z.strictObject({
    type: z.enum(["planned", "nothing", "restarting"]),
    counts: z.record(z.string(), z.number()),
    notes: z.array(z.strictObject({ path: z.string(), lines: z.number(), removed: z.boolean() })),
    untouched: z.array(z.string()),
  }),
);
