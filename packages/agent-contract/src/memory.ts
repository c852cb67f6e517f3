import type { FileWrite } from "./ports.ts";
import type { RunKind } from "./run.ts";

/**
 * Who a remembered text comes from: `agent` was written in a turn that a person started, `untrusted` by one that had read text of others (R23), `system` by a run
 * that no person started.
 */
export type MemoryOrigin = "owner" | "agent" | "untrusted" | "system";

/** What is searched. */
export type MemorySourceKind = "notes" | "sessions";

/** A passage that matches a search. */
export interface MemoryHit {
  /** Where it is, as `get` takes it: a note relative to the workspace, or absolute; what was said as `<session id>#<entry id>`. */
  readonly path: string;
  /** From 1, inclusive; those of one entry. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** 0 to 1, higher is better. */
  readonly score: number;
  readonly source: MemorySourceKind;
  readonly origin: MemoryOrigin;
  /** The day that it is about, `YYYY-MM-DD`. */
  readonly day?: string;
}

/** A search. */
export interface MemoryQuery {
  readonly query: string;
  readonly maxResults: number;
  /** Hits with a lower score are left out. */
  readonly minScore: number;
  readonly sources: readonly MemorySourceKind[];
  /** The conversation that asks, by its session id: what its requests contain anyway is left out. */
  readonly exceptSession?: string;
}

/** The result of a search, best hit first. `degraded` says why it was less complete than usual. */
export interface MemoryAnswer {
  readonly hits: readonly MemoryHit[];
  readonly degraded?: string;
}

/** Lines of something remembered. */
export type MemoryPassage =
  | {
      readonly type: "found";
      readonly path: string;
      /** Absent: notes. */
      readonly source?: MemorySourceKind;
      readonly startLine: number;
      readonly endLine: number;
      readonly text: string;
      readonly origin: MemoryOrigin;
      /** There are more lines. */
      readonly isCut: boolean;
    }
  | { readonly type: "not-found"; readonly message: string };

/** What is indexed as vectors. */
export interface MemoryEmbedded {
  /** Reference of the model. */
  readonly model: string;
  /** Passages that have a vector of it. */
  readonly chunks: number;
}

/** What is indexed of one agent, and what is not. */
export interface MemoryStatus {
  /** Which provider this is. */
  readonly provider: string;
  /** It answers searches. */
  readonly works: boolean;
  readonly files: number;
  /** Conversations of which something is indexed; absent: they are not searched. */
  readonly conversations?: number;
  readonly chunks: number;
  /** Of the index on the disk. */
  readonly sizeBytes?: number;
  /** When the index last changed, in milliseconds since the epoch; absent: it has not been filled. */
  readonly indexedAtMs?: number;
  /** Absent: texts are compared by words alone. */
  readonly embedded?: MemoryEmbedded;
  /** What is wrong, or left out, each a sentence for the owner. */
  readonly problems: readonly string[];
}

/** A file or a conversation whose passages in the index are others than before. */
export interface MemoryChange {
  /** Of a conversation its session id. */
  readonly path: string;
  readonly type: "added" | "changed" | "removed";
}

/** The result of an update of the index. */
export interface MemoryIndexed {
  readonly status: MemoryStatus;
  readonly changes: readonly MemoryChange[];
}

/** What an agent remembers. Implemented by `memory` and by plugins, used by `tools`. Who may ask is decided by the caller. */
export interface MemoryProvider {
  /** Resolves within about 2 seconds. Never rejects because a part of the search is not available: `degraded` says so. */
  search(query: MemoryQuery, options: { readonly agentId: string; readonly signal: AbortSignal }): Promise<MemoryAnswer>;
  /** At most `lines` lines of a path of a hit, from line `from` on. Opens nothing else. */
  get(
    where: { readonly path: string; readonly from: number; readonly lines: number },
    options: { readonly agentId: string; readonly signal: AbortSignal },
  ): Promise<MemoryPassage>;
  /** Changes nothing. */
  status(options: { readonly agentId: string; readonly signal: AbortSignal }): Promise<MemoryStatus>;
  /** Brings the index up to date; `rebuild` reads everything again, and replaces the index by one that is built from nothing. */
  index(options: { readonly agentId: string; readonly rebuild: boolean; readonly signal: AbortSignal }): Promise<MemoryIndexed>;
}

/** What a note held before a change. */
export interface NoteVersion {
  readonly id: string;
  /** When it was replaced. */
  readonly atMs: number;
  readonly sizeBytes: number;
  /** It may hold text of others (R23). */
  readonly untrusted: boolean;
}

/** A note that has versions. */
export interface VersionedNote {
  /** Relative to the workspace. */
  readonly path: string;
  readonly count: number;
  readonly newestAtMs: number;
}

/** Who wrote an entry of a note: a statement, such as an item of a list. */
export interface NoteEntrySource {
  /** Names the entry by its text. */
  readonly digest: string;
  readonly origin: MemoryOrigin;
  readonly kind: RunKind;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly atMs: number;
}

/** What became of a change: `remarks` says for the model what was written otherwise than it asked, by path. The message of a refusal is for the model, too. */
export type NoteVerdict =
  | { readonly type: "made"; readonly remarks: ReadonlyMap<string, string> }
  | { readonly type: "refused"; readonly message: string };

/** Rules for what tools write into the notes of agents. Implemented by `memory`, used by `tools`. */
export interface NoteGate {
  /**
   * Calls `make` once with the contents that take the place of those asked for, by path, unless a rule refuses a write: then nothing may change. Files that are no
   * notes pass. No other change of notes is made meanwhile. What it records is durable before the call. Rejects if `make` does, or if it cannot record.
   */
  change(writes: readonly FileWrite[], make: (contents: ReadonlyMap<string, string>) => Promise<void>): Promise<NoteVerdict>;
}

/** What is wrong with an entry or a file: `over-budget` of a file alone. */
export interface NoteFinding {
  readonly type: "untrusted" | "junk" | "duplicate" | "over-budget" | "secret";
  /** A sentence for the owner. */
  readonly message: string;
}

/** An entry of a note, and where it comes from. */
export interface AuditedEntry {
  /** From 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** Secrets are redacted. */
  readonly text: string;
  /** Absent: no tool wrote it; by hand, or by a command. */
  readonly origin?: MemoryOrigin;
  readonly source?: Omit<NoteEntrySource, "digest" | "origin">;
  readonly findings: readonly NoteFinding[];
}

/** A note, by its path relative to the workspace. */
export interface AuditedNote {
  readonly path: string;
  readonly chars: number;
  /** How many characters of it the prompt shows; absent for daily notes. */
  readonly maxChars?: number;
  readonly findings: readonly NoteFinding[];
  readonly entries: readonly AuditedEntry[];
}

/** Examines the notes of an agent: `MEMORY.md`, `USER.md` and the daily ones. Changes nothing. Resolves with the curated ones first, then by path. */
export type AuditNotes = (agentId: string, options: { readonly signal: AbortSignal }) => Promise<readonly AuditedNote[]>;
