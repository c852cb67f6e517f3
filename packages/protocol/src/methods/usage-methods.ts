import * as z from "zod";
import { USAGE_GROUPS, UsageReportSchema, type UsageGroup, type UsageReport } from "../shapes/usage.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { limit } from "./params.ts";

/** Methods of usage and cost. */
export interface UsageMethods {
  /**
   * Tokens, cost and requests of a period: from `fromMs`, 30 days before its end by default, until `toMs`, now by default and exclusive. `by` is `day` by default;
   * days are those of `timeZone`, that of the default agent's user by default. `limit` bounds the groups, 200 by default. Rejects with `invalid-request` for an
   * unknown time zone, and for a period that ends before it begins.
   */
  "usage.query": {
    params: {
      readonly fromMs?: number;
      readonly toMs?: number;
      readonly timeZone?: string;
      readonly by?: readonly UsageGroup[];
      readonly limit?: number;
    };
    result: UsageReport;
  };
}

const time = z.number().int().min(0).max(8_640_000_000_000_000);

/** Rows of the usage methods. */
export const USAGE_METHODS: MethodTable<UsageMethods> = defineMethods<UsageMethods>()({
  "usage.query": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        fromMs: time.optional(),
        toMs: time.optional(),
        timeZone: z.string().min(1).max(100).optional(),
        by: z.array(z.enum(USAGE_GROUPS)).max(USAGE_GROUPS.length).optional(),
        limit: limit.optional(),
      }),
    result: () => UsageReportSchema,
  },
});
