/** A run's place in its lane: held during model calls, released while tools run. */
export interface LanePlace {
  /** Resolves once the place is held: at once if it is held already, otherwise ahead of items that have not started. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<void>;
  /** Releases the place; a no-op while it is not held. */
  leave(): void;
}

/** For work that runs inside another item, which holds the place for both. */
export const OUTER_PLACE: LanePlace = { enter: async () => {}, leave: () => {} };
