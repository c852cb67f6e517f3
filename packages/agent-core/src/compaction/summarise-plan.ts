import { withoutUndefined } from "@factotum/agent-contract";
import type { CompactionPlan } from "./plan-compaction.ts";
import {
  fitToMerge,
  groupSummaries,
  limitSummary,
  renderSummaryRequest,
  type SummaryPart,
  type SummaryRequest,
} from "./summary-request.ts";

/** Options for summarising a plan. */
export interface SummariseOptions {
  /** Resolves with the summariser's answer. Equal parts give equal requests except for the message's time. */
  readonly ask: (request: SummaryRequest) => Promise<string>;
  /** The summariser's window, tokens. */
  readonly summariserWindow: number;
  /** The window of the session's model, tokens: the summary has to fit there. */
  readonly window: number;
  /** The user's instructions with `/compact`. */
  readonly instructions: string | undefined;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Summarises a plan's chunks one after the other, and merges the summaries until one is left (R9). A limited plan takes one request per chunk and one to merge.
 * Rejects when `ask` does.
 */
export async function summarisePlan(plan: CompactionPlan, options: SummariseOptions): Promise<string> {
  const { summariserWindow, instructions, now } = options;
  const merging = { window: summariserWindow };
  const ask = async (part: SummaryPart): Promise<string> =>
    options.ask(renderSummaryRequest(part, { ...merging, nowMs: now(), ...withoutUndefined({ instructions }) }));
  let summaries: readonly string[] = [];
  for (const [index, { text }] of plan.chunks.entries())
    summaries = [...summaries, await ask({ type: "chunk", text, number: index + 1, count: plan.chunks.length })];
  if (plan.isLimited) summaries = fitToMerge([...(plan.earlierSummary === undefined ? [] : [plan.earlierSummary]), ...summaries], merging);
  while (summaries.length > 1) {
    const merged: string[] = [];
    for (const group of groupSummaries(summaries, merging))
      merged.push(group.length === 1 ? (group[0] ?? "") : await ask({ type: "merge", summaries: group }));
    summaries = merged;
  }
  return limitSummary(summaries[0] ?? "", { window: options.window });
}
