import { formatShortMoment } from "./locale.ts";
import type { SessionSummary } from "@factotum/protocol";
import { t } from "../i18n/t.ts";

/** The title of a session: the person's own name for it, otherwise the gateway's. A bare key is not a name: such a chat is titled by its beginning. */
export function sessionTitle(key: string | undefined, summary: SessionSummary | undefined, mainKey: string | undefined): string {
  if (summary?.label !== undefined) return summary.label;
  if (key === mainKey && key !== undefined) return t("Main");
  if (summary === undefined) return t("New chat");
  if (!summary.displayName.includes(summary.key)) return summary.displayName;
  return t("Chat of {time}", { time: formatShortMoment(summary.createdAtMs) });
}
