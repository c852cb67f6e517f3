import type { CompactionMessage, UserMessage } from "@factotum/agent-contract";
import { escapeBody } from "../effective-prompt/escape-body.ts";

/** Renders a compaction for the model: one message before the first kept one. Pure. */
export function renderSummaryMessage({
  summary,
  tainted,
  timestamp,
}: Pick<CompactionMessage, "summary" | "tainted" | "timestamp">): UserMessage {
  const text = `[Summary of the conversation up to here, in place of its messages]\n${escapeBody(summary.trim())}\n[/Summary]`;
  return { role: "user", content: [{ type: "text", text }], ...(tainted === true ? { tainted } : {}), timestamp };
}
