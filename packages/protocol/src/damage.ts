import * as z from "zod";
import { parserOf } from "./parser-of.ts";

/**
 * Damage of the stored state that nobody has acknowledged yet. `database`: the whole database was lost or unreadable and was restored; `snapshots`: snapshots
 * of another database lie beside it and are kept; `rows`: single rows are not what was written and are left out.
 */
export interface DamageEvent {
  readonly id: string;
  readonly kind: "database" | "snapshots" | "rows";
  /** When it was found first. */
  readonly atMs: number;
  /** What was found and what was done. */
  readonly text: string;
  /** How many rows; 1 for anything else. */
  readonly count: number;
  /** True if nothing was lost. */
  readonly isComplete: boolean;
  readonly sessionKey?: string;
  /** The file or folder that it is about. */
  readonly path?: string;
  /** Of a restored database: sessions that stand on their plain file alone. */
  readonly rebuilt?: readonly string[];
}

/** Parses events of damage. */
export const DamageEventsSchema: z.ZodType<readonly DamageEvent[]> = parserOf<readonly DamageEvent[]>()(
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
    }),
  ),
);
