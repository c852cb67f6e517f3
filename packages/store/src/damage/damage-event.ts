/**
 * Damage found in the stored state, kept until the owner acknowledges it. `database`: the whole file was lost or unreadable and was restored. `snapshots`:
 * snapshots of another database are in the state folder. `rows`: single rows failed their checksum and are excluded.
 */
export interface DamageEvent {
  /** `d1`, `d2`, …, for `acknowledge`. */
  readonly id: string;
  readonly kind: "database" | "snapshots" | "rows";
  /** When it was first found. */
  readonly atMs: number;
  /** The finding and the action taken, for people. */
  readonly text: string;
  /** The number of rows; 1 for the other kinds. */
  readonly count: number;
  /** True if nothing was lost. */
  readonly isComplete: boolean;
  readonly sessionKey?: string;
  /** For a restored database: keys of sessions restored from their plain file alone; truncated if there are many. */
  readonly rebuilt?: readonly string[];
  /** For a restored database with losses: keys of sessions that were or may have been in use in the lost period, most likely first; at most 100. */
  readonly affected?: readonly string[];
  /** The affected file or folder, absolute. */
  readonly path?: string;
}

/** Damage to be recorded. */
export type NewDamageEvent = Omit<DamageEvent, "id" | "atMs" | "count">;
