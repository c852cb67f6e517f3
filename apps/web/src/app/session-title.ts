import { formatShortMoment } from "./locale.ts";
import type { SessionSummary } from "@factotum/protocol";

/** What a session is called on the page: the person's own name for it, then what the gateway calls it. A bare key is no name: such a chat is called by its beginning. */
export function sessionTitle(key: string | undefined, summary: SessionSummary | undefined, mainKey: string | undefined): string {
  if (summary?.label !== undefined) return summary.label;
  if (key === mainKey && key !== undefined) return "Main";
  if (summary === undefined) return "New chat";
  if (!summary.displayName.includes(summary.key)) return summary.displayName;
  return `Chat of ${formatShortMoment(summary.createdAtMs)}`;
}
