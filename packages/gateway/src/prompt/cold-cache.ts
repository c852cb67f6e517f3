import { estimateTokens, rerenderMessages, viewHistory } from "@factotum/agent-core";
import type { HistoryViewOptions } from "@factotum/agent-core";
import type { PromptRecord, TranscriptStore } from "@factotum/store";
import { parseBasis } from "./prompt-cause.ts";
import { readHistory } from "../context/read-history.ts";
import { rerenderOptions } from "./rerender-options.ts";
import { estimatePromptTokens } from "../context/session-cache.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { SessionCache } from "../context/session-cache.ts";

/** Minimum share of a request that re-rendering must save if there is no other reason for it. */
const LEAST_SAVING = 0.1;

type Prompt = Omit<PromptRecord, "sessionId">;

/**
 * True if a cold cache justifies changing the request: a change of the prompt is pending, or the request shrinks by at least a tenth. Otherwise the request
 * stays the same, with the thinking blocks that a provider binds to its bytes.
 */
export async function isWorthRerendering(
  { stored, rendered, nowMs }: { readonly stored: Prompt; readonly rendered: Prompt; readonly nowMs: number },
  context: SessionContext,
  parts: { readonly cache: SessionCache; readonly store: TranscriptStore },
): Promise<boolean> {
  const settledBeforeMs = parseBasis(stored.basis)?.settledBeforeMs ?? 0;
  // The clock was set back: tool results pruned before that time would stay pruned forever.
  if (stored.hash !== rendered.hash || settledBeforeMs > nowMs) return true;
  const { messages } = await readHistory(context.sessionId, parts);
  const view: HistoryViewOptions = {
    settledBeforeMs,
    contextWindow: context.model.client.info.contextWindow,
    prunes: context.agent.config.contextPruning.mode === "cache-ttl",
    historyLimit: undefined,
  };
  const tokensOf = (history: typeof messages, options: HistoryViewOptions): number =>
    estimateTokens(viewHistory(history, undefined, options).messages);
  const before = tokensOf(messages, view);
  const after = tokensOf(rerenderMessages(messages, rerenderOptions(context)), { ...view, settledBeforeMs: nowMs });
  return before - after >= LEAST_SAVING * (estimatePromptTokens(stored) + before);
}
