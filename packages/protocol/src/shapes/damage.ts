import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/**
 * Unacknowledged damage of the stored state. `database`: the whole database was lost or unreadable and was restored; `snapshots`: snapshots of another database
 * lie beside it and are kept; `rows`: single rows failed their checksum and are excluded.
 */
export interface DamageEvent {
  readonly id: string;
  readonly kind: "database" | "snapshots" | "rows";
  /** When it was first found. */
  readonly atMs: number;
  /** The finding and the action taken. */
  readonly text: string;
  /** The number of rows; 1 for the other kinds. */
  readonly count: number;
  /** True if nothing was lost. */
  readonly isComplete: boolean;
  readonly sessionKey?: string;
  /** The affected file or folder. */
  readonly path?: string;
  /** For a restored database: sessions restored from their plain file alone. */
  readonly rebuilt?: readonly string[];
  /** For a restored database with losses: sessions that were or may have been in use in the lost period, most likely first. */
  readonly affected?: readonly string[];
}

/** Parses events of damage. */
export const DamageEventsSchema: z.ZodType<readonly DamageEvent[]> = parserOf<readonly DamageEvent[]>()(() =>
  z.array(
    z.strictObject({
      id: z.string(),
      kind: z.enum(["database", "snapshots", "rows"]),
      atMs: z.number(),
      text: z.string(),
      count: z.number(),
      isComplete: z.boolean(),
      sessionKey: z.string().optional(),
      path: z.string().optional(),
      rebuilt: z.array(z.string()).optional(),
      affected: z.array(z.string()).optional(),
    }),
  ),
);
