import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** Tokens and cost, for programs. `input` excludes cached tokens. */
export interface RunUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  /** US dollars; absent if no price is known. */
  readonly costUsd?: number;
}

/** Parses a usage. */
export const RunUsageSchema: z.ZodType<RunUsage> = parserOf<RunUsage>()(() =>
  z.strictObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    total: z.number(),
    costUsd: z.number().optional(),
  }),
);
