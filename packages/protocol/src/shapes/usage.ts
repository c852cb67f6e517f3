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

/** What usage can be grouped by. */
export const USAGE_GROUPS = ["day", "model", "cause", "agent", "channel", "session"] as const;

/** A way to group usage. */
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Requests with their tokens and cost. */
export interface UsageAmount extends RunUsage {
  readonly requests: number;
  readonly failed: number;
  /** Requests without a known price, which `costUsd` does not have. */
  readonly unpriced: number;
  /** Part of the tokens read that came from the cache, 0 to 1; absent if none were read. */
  readonly cacheHitRate?: number;
}

/** Usage in a period. */
export interface UsageReport {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly timeZone: string;
  readonly total: UsageAmount;
  /** By day in order of time, otherwise the most expensive first. `keys` has a value for each of the asked groups; an unknown channel is `-`. */
  readonly groups: readonly (UsageAmount & { readonly keys: Readonly<Partial<Record<UsageGroup, string>>> })[];
  /** Groups beyond the limit. */
  readonly omitted: number;
  /** Older requests are no longer stored; absent without stored requests. */
  readonly storedSinceMs?: number;
  /** Everything that was charged on the days of the period by agent and cause: also requests that are not stored, such as tests and media. */
  readonly charged: readonly {
    readonly day: string;
    readonly agent: string;
    readonly cause: string;
    readonly calls: number;
    readonly tokens: number;
    readonly costUsd?: number;
  }[];
  /** The caps of today for each agent. What is absent has no limit. */
  readonly caps: readonly {
    readonly agent: string;
    /** The key of the configuration. */
    readonly name: string;
    readonly tokensPerDay?: number;
    readonly usdPerDay?: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly tokensLeft?: number;
    readonly usdLeft?: number;
    readonly resetsAtMs: number;
  }[];
}

const amount = {
  requests: z.number(),
  failed: z.number(),
  unpriced: z.number(),
  cacheHitRate: z.number().optional(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
  costUsd: z.number().optional(),
};

const keys = z.lazy(() =>
  z.strictObject({
    day: z.string().optional(),
    model: z.string().optional(),
    cause: z.string().optional(),
    agent: z.string().optional(),
    channel: z.string().optional(),
    session: z.string().optional(),
  }),
);

/** Parses usage in a period. */
export const UsageReportSchema: z.ZodType<UsageReport> = parserOf<UsageReport>()(() =>
  z.strictObject({
    fromMs: z.number(),
    toMs: z.number(),
    timeZone: z.string(),
    total: z.strictObject(amount),
    groups: z.array(z.strictObject({ ...amount, keys })),
    omitted: z.number(),
    storedSinceMs: z.number().optional(),
    charged: z.array(
      z.strictObject({
        day: z.string(),
        agent: z.string(),
        cause: z.string(),
        calls: z.number(),
        tokens: z.number(),
        costUsd: z.number().optional(),
      }),
    ),
    caps: z.array(
      z.strictObject({
        agent: z.string(),
        name: z.string(),
        tokensPerDay: z.number().optional(),
        usdPerDay: z.number().optional(),
        tokens: z.number(),
        costUsd: z.number(),
        tokensLeft: z.number().optional(),
        usdLeft: z.number().optional(),
        resetsAtMs: z.number(),
      }),
    ),
  }),
);
