/**
 * Damage that was found in the stored state, kept until the owner acknowledges it. `database`: the whole file was lost or unreadable and was restored.
 * `snapshots`: snapshots of another database lie in the state folder. `rows`: single rows are not what was written and are left out.
 */
export interface DamageEvent {
  /** `d1`, `d2`, …, for `acknowledge`. */
  readonly id: string;
  readonly kind: "database" | "snapshots" | "rows";
  /** When it was found first. */
  readonly atMs: number;
  /** The finding and the action taken, for people. */
  readonly text: string;
  /** How many rows; 1 for anything else. */
  readonly count: number;
  /** True if nothing was lost. */
  readonly isComplete: boolean;
  readonly sessionKey?: string;
  /** Of a restored database: keys of sessions that stand on their plain file alone, some of them where there are many. */
  readonly rebuilt?: readonly string[];
  /** The file or folder that it is about, absolute. */
  readonly path?: string;
}

/** Damage to be recorded. */
export type NewDamageEvent = Omit<DamageEvent, "id" | "atMs" | "count">;
