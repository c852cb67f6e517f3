import { estimateTokens, rerenderMessages, viewHistory } from "@factotum/agent-core";
import type { HistoryViewOptions } from "@factotum/agent-core";
import type { PromptRecord, TranscriptStore } from "@factotum/store";
import { parseBasis } from "./prompt-cause.ts";
import { readHistory } from "../context/read-history.ts";
import { rerenderOptions } from "./rerender-options.ts";
import { estimatePromptTokens } from "../context/session-cache.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { SessionCache } from "../context/session-cache.ts";

/** The least share of a request that rendering it again has to save where nothing else asks for it. */
const LEAST_SAVING = 0.1;

type Prompt = Omit<PromptRecord, "sessionId">;

/**
 * Whether a cold cache is a reason to change the request: a change of the prompt is waiting for it, or the request becomes
 * smaller by a tenth at least. Else the request stays as it is, with the thoughts that a vendor binds to its bytes.
 */
export async function isWorthRerendering(
  { stored, rendered, nowMs }: { readonly stored: Prompt; readonly rendered: Prompt; readonly nowMs: number },
  context: SessionContext,
  parts: { readonly cache: SessionCache; readonly store: TranscriptStore },
): Promise<boolean> {
  const settledBeforeMs = parseBasis(stored.basis)?.settledBeforeMs ?? 0;
  // The clock was set back: what is pruned before that moment would stay so for ever.
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
