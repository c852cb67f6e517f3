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

/** What is indexed of one agent. */
export interface MemoryStatus {
  /** Which provider this is. */
  readonly provider: string;
  readonly files: number;
  readonly chunks: number;
  /** What is wrong, and what to do; absent: nothing. */
  readonly problem?: string;
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
  status(options: { readonly agentId: string }): Promise<MemoryStatus>;
  /** Brings the index up to date; `rebuild` builds it again from the sources. */
  index(options: { readonly agentId: string; readonly rebuild: boolean; readonly signal: AbortSignal }): Promise<MemoryStatus>;
}
