import type { AgentMessage, UserMessage } from "@factotum/agent-contract";
import { estimateTokens } from "../tokens/estimate-tokens.ts";
import { applyHistoryLimit } from "./apply-history-limit.ts";
import { beginsTurn } from "./begins-turn.ts";
import { dropImages } from "./drop-images.ts";
import { pruneToolResults } from "./prune-tool-results.ts";
import { beginsQuietRun } from "./quiet-runs.ts";
import { supersedeRetried } from "./supersede-retried.ts";

/** Options of the history view. The same options and messages always give the same bytes. */
export interface HistoryViewOptions {
  /** Time of the last named cause: tool results of older turns were pruned then. */
  readonly settledBeforeMs: number;
  /** The model's window in tokens. */
  readonly contextWindow: number;
  /** Prune old tool results at a cause (`contextPruning.mode`). */
  readonly prunes: boolean;
  /** Maximum user turns shown; `undefined` or 0 for all. */
  readonly historyLimit: number | undefined;
}

/** A named break: the next request does not begin with the one before it. */
type HistoryBreak = "edited" | "images-dropped" | "history-limit" | "quarantine" | "retry";

/** The shown messages, and the named breaks that have just changed them. */
export interface HistoryView {
  readonly messages: readonly AgentMessage[];
  readonly breaks: readonly HistoryBreak[];
}

/**
 * Selects the messages of a conversation for a request. Depends only on the stored messages and the time of the last named cause, so a restart shows the same.
 * Between causes the view only grows at its end, except at the named breaks.
 */
export function viewHistory(stored: readonly AgentMessage[], prompt: UserMessage | undefined, options: HistoryViewOptions): HistoryView {
  const { messages, isChanged } = supersedeRetried(stored, prompt);
  const border = messages.findIndex((message) => message.timestamp >= options.settledBeforeMs);
  const settled = settle(border === -1 ? messages : messages.slice(0, border), options);
  const all = [...settled, ...(border === -1 ? [] : messages.slice(border)), ...(prompt === undefined ? [] : [prompt])];
  const { messages: shown, breaks } = showTurns(all, options);
  return { messages: prompt === undefined ? shown : shown.slice(0, -1), breaks: isChanged ? [...breaks, "retry"] : breaks };
}

/** A quiet run must not shift the prefix: the previous view is kept, and the run is appended to it. */
function showTurns(all: readonly AgentMessage[], { historyLimit }: HistoryViewOptions): HistoryView {
  const last = all.findLastIndex(beginsTurn);
  const open = all[last];
  if (open !== undefined && beginsQuietRun(open)) {
    const before = applyHistoryLimit(dropImages(all.slice(0, last)).messages, historyLimit);
    return { messages: [...before.messages, ...all.slice(last)], breaks: [] };
  }
  const withoutImages = dropImages(all);
  const limited = applyHistoryLimit(withoutImages.messages, historyLimit);
  // Without its newest message a history never drops more, so a view that drops nothing needs no comparison.
  const dropped = withoutImages.dropped > 0 && withoutImages.dropped > dropImages(all.slice(0, -1)).dropped;
  const cut = limited.droppedTurns > 0 && limited.droppedTurns > applyHistoryLimit(all.slice(0, -1), historyLimit).droppedTurns;
  return {
    messages: limited.messages,
    breaks: [...(dropped ? (["images-dropped"] as const) : []), ...(cut ? (["history-limit"] as const) : [])],
  };
}

function settle(messages: readonly AgentMessage[], options: HistoryViewOptions): readonly AgentMessage[] {
  if (!options.prunes) return messages;
  return pruneToolResults(messages, { contextTokens: estimateTokens(messages), contextWindow: options.contextWindow }).messages;
}
