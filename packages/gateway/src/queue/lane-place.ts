/** A run's place in its lane. It is held while the run asks a model, and released while it runs tools. */
export interface LanePlace {
  /** Resolves once the place is held: at once while it is, else ahead of items that have not started. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** Releases the place; a no-op while it is not held. */
  leave(): void;
}

/** The place of work that runs within another item, which holds its own place until that work is done. */
export const OUTER_PLACE: LanePlace = { enter: async () => {}, leave: () => {} };
