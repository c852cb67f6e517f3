import { withoutUndefined } from "./without-undefined.ts";
/**
 * Tokens of one model call.
 *
 * `input` never includes cached tokens (they are subtracted from OpenAI's figure), and `total = input + output + cacheRead + cacheWrite`. The size of the
 * context after a call is `input + cacheRead + cacheWrite` of that call.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
  /** US dollars, if the model's price is known. */
  readonly costUsd?: number;
}

/** Usage of a call without an answer. */
export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** Usage of several calls. The sums are the spend; the `last*` fields are the context size. They are never mixed: a context size is not a sum of calls. */
export interface UsageTotals extends Usage {
  readonly calls: number;
  readonly lastInput: number;
  readonly lastCacheRead: number;
  readonly lastCacheWrite: number;
}

/** Totals before the first call. */
export const NO_USAGE_TOTALS: UsageTotals = { ...NO_USAGE, calls: 0, lastInput: 0, lastCacheRead: 0, lastCacheWrite: 0 };

/** Adds one call to the totals. The cost stays unknown as long as no call had a known one. */
export function addUsage(totals: UsageTotals, call: Usage): UsageTotals {
  const costUsd = totals.costUsd === undefined ? call.costUsd : totals.costUsd + (call.costUsd ?? 0);
  return {
    input: totals.input + call.input,
    output: totals.output + call.output,
    cacheRead: totals.cacheRead + call.cacheRead,
    cacheWrite: totals.cacheWrite + call.cacheWrite,
    total: totals.total + call.total,
    ...withoutUndefined({ costUsd }),
    calls: totals.calls + 1,
    lastInput: call.input,
    lastCacheRead: call.cacheRead,
    lastCacheWrite: call.cacheWrite,
  };
}

/** The totals of two consecutive runs; the context size is the later one's. */
export function joinUsage(earlier: UsageTotals, later: UsageTotals): UsageTotals {
  if (later.calls === 0) return earlier;
  const costUsd = earlier.costUsd === undefined && later.costUsd === undefined ? undefined : (earlier.costUsd ?? 0) + (later.costUsd ?? 0);
  return {
    input: earlier.input + later.input,
    output: earlier.output + later.output,
    cacheRead: earlier.cacheRead + later.cacheRead,
    cacheWrite: earlier.cacheWrite + later.cacheWrite,
    total: earlier.total + later.total,
    ...withoutUndefined({ costUsd }),
    calls: earlier.calls + later.calls,
    lastInput: later.lastInput,
    lastCacheRead: later.lastCacheRead,
    lastCacheWrite: later.lastCacheWrite,
  };
}
