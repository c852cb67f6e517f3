import type { OccurrenceShape } from "@factotum/protocol";
import { formatDollars, formatWhole } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";
import { plainText } from "../../markdown/plain-text.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { reasonText, receiptText, stateText, tookText } from "./automation-texts.ts";
import styles from "./automations.module.css";

interface RunTableProps {
  readonly caption: string;
  readonly runs: readonly OccurrenceShape[];
}

/** What became of each run, newest first. */
export function RunTable({ caption, runs }: RunTableProps): React.JSX.Element {
  return <Table caption={caption} columns={columns()} rows={runs} keyOf={({ slotMs, isManual }) => `${slotMs} ${isManual === true}`} />;
}

/** How a run ended, and why. */
export function RunState({ run: { state, reason } }: { readonly run: OccurrenceShape }): React.JSX.Element {
  const { text, tone } = stateText(state);
  return (
    <span className={styles["outcome"]}>
      <Badge tone={tone}>{text}</Badge>
      {reason === undefined ? null : <bdi>{reasonText(reason)}</bdi>}
    </span>
  );
}

function columns(): readonly Column<OccurrenceShape>[] {
  return [
    {
      id: "time",
      title: t("Time"),
      sortBy: ({ slotMs }) => slotMs,
      cell: ({ slotMs, isManual }) => (
        <span className={styles["when"]}>
          <Moment atMs={slotMs} />
          {isManual === true ? <small>{t("started by hand")}</small> : null}
        </span>
      ),
    },
    { id: "state", title: t("Result"), cell: (run) => <RunState run={run} /> },
    { id: "said", title: t("Said"), cell: (run) => <Said run={run} /> },
    { id: "took", title: t("Took"), align: "end", cell: tookText },
    {
      id: "cost",
      title: t("Cost"),
      align: "end",
      sortBy: ({ costUsd = 0 }) => costUsd,
      cell: ({ costUsd, tokens }) =>
        costUsd === undefined ? (tokens === undefined ? "" : t("{count} tokens", { count: formatWhole(tokens) })) : formatDollars(costUsd),
    },
  ];
}

function Said({ run: { text, receipt, sessionKey, count } }: { readonly run: OccurrenceShape }): React.JSX.Element {
  return (
    <span className={styles["said"]}>
      {text === undefined ? null : <span dir="auto">{plainText(text)}</span>}
      {receipt === undefined ? null : <small>{receiptText(receipt)}</small>}
      {count === undefined ? null : <small>{t("{count, plural, one {# time} other {# times}} until then", { count })}</small>}
      <SessionLink sessionKey={sessionKey} />
    </span>
  );
}
