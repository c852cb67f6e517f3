/** Who a remembered text comes from: `untrusted` was written by a turn that had read text of others (R23). */
export type MemoryOrigin = "owner" | "agent" | "untrusted" | "system";

/** What is searched. */
export type MemorySourceKind = "notes" | "sessions";

/** A passage that matches a search. */
export interface MemoryHit {
  /** Where it is, as `get` takes it: relative to the workspace, or absolute. */
  readonly path: string;
  /** From 1, inclusive. */
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
      readonly startLine: number;
      readonly endLine: number;
      readonly text: string;
      readonly origin: MemoryOrigin;
      /** There are more lines. */
      readonly isCut: boolean;
    }
  | { readonly type: "not-found"; readonly message: string };

/** What is indexed of one agent, and what is not. */
export interface MemoryStatus {
  /** Which provider this is. */
  readonly provider: string;
  /** It answers searches. */
  readonly works: boolean;
  readonly files: number;
  readonly chunks: number;
  /** Of the index on the disk. */
  readonly sizeBytes?: number;
  /** When the index last changed, in milliseconds since the epoch; absent: it has not been filled. */
  readonly indexedAtMs?: number;
  /** What is wrong, or left out, each a sentence for the owner. */
  readonly problems: readonly string[];
}

/** A file whose passages in the index are others than before. */
export interface MemoryChange {
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

/** The versions of an agent's notes. Paths are relative to its workspace. */
export interface NoteHistory {
  /** The notes that have versions, by path; also those that are no longer there. */
  notes(agentId: string): Promise<readonly VersionedNote[]>;
  /** Newest first; none for a path that is no note. */
  list(agentId: string, path: string): Promise<readonly NoteVersion[]>;
  /** The text of a version; `undefined` if there is no such version. */
  read(agentId: string, path: string, id: string): Promise<{ readonly text: string } | undefined>;
  /** Writes a version into its note, whose present text becomes a version first. */
  restore(
    agentId: string,
    path: string,
    id: string,
  ): Promise<{ readonly type: "restored" | "not-found" } | { readonly type: "refused"; readonly message: string }>;
}
