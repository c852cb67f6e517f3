import type { SessionSummary } from "@factotum/protocol";
import { formatMonth } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";

/** Sessions under one heading; the first group, such as the main session, has none. */
export interface SessionGroup<Row> {
  readonly name: string | undefined;
  readonly rows: readonly Row[];
}

/**
 * Groups rows, sorted by last activity, by the time of it: pinned ones before, today, yesterday, the last seven days, this month, then by month. The main session and an unused one
 * come first, without a heading. Days are those of this device.
 */
export function groupSessions<Row extends { readonly key: string; readonly summary: SessionSummary | undefined }>(
  rows: readonly Row[],
  { mainKey, nowMs }: { readonly mainKey: string | undefined; readonly nowMs: number },
): readonly SessionGroup<Row>[] {
  const groups = new Map<string | undefined, Row[]>();
  for (const row of rows) {
    const name = row.summary === undefined || row.key === mainKey ? undefined : nameOf(row.summary, nowMs);
    const known = groups.get(name);
    if (known === undefined) groups.set(name, [row]);
    else known.push(row);
  }
  const first = (name: string | undefined): number => (name === undefined ? 0 : name === t("Pinned") ? 1 : 2);
  const sorted = [...groups].toSorted(([one], [other]) => first(one) - first(other));
  return sorted.map(([name, members]) => ({ name, rows: members }));
}

function nameOf({ activeAtMs, pinned, archived }: SessionSummary, nowMs: number): string {
  if (pinned === true && archived !== true) return t("Pinned");
  const today = new Date(nowMs).setHours(0, 0, 0, 0);
  const daysAgo = Math.round((today - new Date(activeAtMs).setHours(0, 0, 0, 0)) / 86_400_000);
  if (daysAgo <= 0) return t("Today");
  if (daysAgo === 1) return t("Yesterday");
  if (daysAgo < 7) return t("Last 7 days");
  return formatMonth(activeAtMs);
}
