import { withoutUndefined } from "@factotum/agent-contract";
import type { UsageTotals } from "@factotum/agent-contract";

/** Adds a run's totals. The values of the last call are taken from the run, unless the run made no call. */
export function addTotals(totals: UsageTotals, run: UsageTotals): UsageTotals {
  if (run.calls === 0) return totals;
  const { costUsd: _cost, ...sums } = totals;
  const costUsd = totals.costUsd === undefined ? run.costUsd : totals.costUsd + (run.costUsd ?? 0);
  return {
    ...sums,
    input: totals.input + run.input,
    output: totals.output + run.output,
    cacheRead: totals.cacheRead + run.cacheRead,
    cacheWrite: totals.cacheWrite + run.cacheWrite,
    total: totals.total + run.total,
    ...withoutUndefined({ costUsd }),
    calls: totals.calls + run.calls,
    lastInput: run.lastInput,
    lastCacheRead: run.lastCacheRead,
    lastCacheWrite: run.lastCacheWrite,
  };
}
