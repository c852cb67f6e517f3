/** Facts of the caller beyond the body. */
export interface CompletionCaller {
  /** The header `x-factotum-session`. */
  readonly session: string | undefined;
  /** Lifetime of a session that the client did not name; 24 hours by default. */
  readonly anonymousTtlMs?: number;
  /** The header `x-factotum-reasoning` requests thoughts and tool activity. */
  readonly showsReasoning: boolean;
  /** Aborts if the client leaves. */
  readonly signal: AbortSignal;
}
