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

/** How a plan is summarised. */
export interface SummariseOptions {
  /** Resolves to the text of the summariser's answer. Equal parts give equal requests but for the time of the message. */
  readonly ask: (request: SummaryRequest) => Promise<string>;
  /** The summariser's window, tokens. */
  readonly summariserWindow: number;
  /** The window of the session's model, tokens: the summary has to fit there. */
  readonly window: number;
  /** What the user asked for with `/compact`. */
  readonly instructions: string | undefined;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Has a plan's chunks summarised one after the other, and their summaries merged until one is left (R9). A limited plan takes one request for each
 * chunk and one that merges. Rejects when `ask` does.
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
