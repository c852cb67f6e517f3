import * as z from "zod";
import { CountSchema } from "./values.ts";

/** When a session is reset. With both `daily` and `idleMinutes`, whichever comes first. */
export interface ResetConfig {
  readonly mode: "none" | "daily" | "idle";
  /** Hour in the agent's `userTimezone`, 0 to 23. */
  readonly atHour: number;
  readonly idleMinutes?: number | undefined;
}

/** Parses one rule of `session.reset`, `session.resetByType` and `session.resetByChannel`. */
export const SessionResetSchema: z.ZodType<ResetConfig> = z
  .strictObject({
    mode: z
      .enum(["none", "daily", "idle"])
      .default("daily")
      .describe("`daily`: at `atHour`. `idle`: after `idleMinutes`. `none`: never by itself."),
    atHour: z.int().min(0).max(23).default(4).describe("Hour of the daily reset, in `userTimezone`."),
    idleMinutes: CountSchema.optional().describe("Minutes without a message; with `daily`, whichever comes first."),
  })
  .refine((reset) => reset.mode !== "idle" || reset.idleMinutes !== undefined, {
    path: ["idleMinutes"],
    error: "the mode idle needs idleMinutes",
  });
