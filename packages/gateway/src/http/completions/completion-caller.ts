/** Who asks, besides what the body says. */
export interface CompletionCaller {
  /** The header `x-factotum-session`. */
  readonly session: string | undefined;
  /** The header `x-factotum-reasoning` asks for thoughts and tool activity. */
  readonly showsReasoning: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}
