/**
 * Turns texts into vectors whose direction is their meaning. Implemented by `gateway` over the model that the configuration names, used by `memory`. What may be
 * sent is decided by the caller.
 */
export interface TextEmbeddings {
  /** Reference of the model that the configuration names now; `undefined` if it names no model. Vectors of different models cannot be compared. */
  model(): string | undefined;
  /** A vector for each text, in the same order. Charged to the agent's memory. Rejects with a `ModelError` whose message says what to do. */
  embed(
    texts: readonly string[],
    options: { readonly model: string; readonly agentId: string; readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[])[]>;
}
