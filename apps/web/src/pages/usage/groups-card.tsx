import type { UsageReport } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useAppState } from "../../app/app-context.ts";
import { mainKeyOf } from "../../app/app-state.ts";
import { formatExactDollars, formatCompact, formatDay, formatShortDay, formatWhole } from "../../app/locale.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { t } from "../../i18n/t.ts";
import { BarPlot } from "../../ui/bar-plot.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { barsOf } from "./bars-of.ts";
import { startOf, type UsagePeriod } from "./usage-period.ts";
import { cacheText, causeText, costText, groupText } from "./usage-texts.ts";
import styles from "./usage.module.css";

type Group = UsageReport["groups"][number];

interface GroupsCardProps {
  readonly report: UsageReport;
  readonly period: UsagePeriod;
}

/** Cost and tokens of each group, as plots and as a table. */
export function GroupsCard({ report: { groups, omitted }, period: { by, from, to } }: GroupsCardProps): React.JSX.Element {
  const nameOf = useNames(by);
  const plots = useMemo(() => {
    const bars = barsOf(groups, { by, from, to });
    const names = bars.map(({ key, others }) => {
      if (key === undefined) return t("{count} others", { count: others });
      return by === "day" ? formatShortDay(startOf(key)) : nameOf(key);
    });
    const layout = by === "day" ? ("columns" as const) : ("rows" as const);
    const series = (label: string, valueOf: (bar: (typeof bars)[number]) => number) => ({ label, values: bars.map(valueOf) });
    return {
      cost: { layout, names, format: formatExactDollars, series: [series(t("Cost"), ({ costUsd }) => costUsd)] },
      tokens: {
        layout,
        names,
        format: formatCompact,
        series: [
          series(t("From the cache"), ({ cached }) => cached),
          series(t("Read"), ({ read }) => read),
          series(t("Written"), ({ written }) => written),
        ],
      },
    };
  }, [groups, by, from, to, nameOf]);
  const title = t("By {group}", { group: groupText(by) });
  if (groups.length === 0)
    return (
      <Card title={title}>
        <EmptyState>{t("No model was asked in this period. Usage is shown as soon as the assistant has answered.")}</EmptyState>
      </Card>
    );
  const hasPrice = groups.some(({ costUsd = 0 }) => costUsd > 0);
  return (
    <Card title={title}>
      <div className={styles["plots"]}>
        <div className={styles["figures"]}>
          {hasPrice ? <BarPlot title={t("Cost")} data={plots.cost} /> : <p className="note">{t("No price of these models is known.")}</p>}
          <BarPlot title={t("Tokens")} data={plots.tokens} />
        </div>
        <Table caption={title} columns={columnsOf(by, nameOf)} rows={groups} keyOf={({ keys }) => keys[by] ?? ""} />
      </div>
      {omitted === 0 ? null : (
        <p className="note">
          {t("{count, plural, one {# more is not shown.} other {# more are not shown.}} Choose a shorter period.", { count: omitted })}
        </p>
      )}
    </Card>
  );
}

/** The names of groups as people know them. */
function useNames(by: UsagePeriod["by"]): (key: string) => string {
  const sessions = useAppState((state) => state.sessions);
  const agents = useAppState((state) => state.agents);
  return useMemo(() => {
    const titles = new Map(
      sessions.map((summary) => [summary.key, sessionTitle(summary.key, summary, mainKeyOf({ agents }, summary.agentId))]),
    );
    return (key) => {
      if (by === "day") return formatDay(startOf(key));
      if (by === "cause") return causeText(key);
      if (by === "channel" && key === "-") return t("unknown");
      return by === "session" ? (titles.get(key) ?? key) : key;
    };
  }, [by, sessions, agents]);
}

interface GroupNameProps {
  readonly by: UsagePeriod["by"];
  readonly of: string;
  readonly name: string;
}

function GroupName({ by, of, name }: GroupNameProps): React.ReactNode {
  if (by === "day") return <time dateTime={of}>{name}</time>;
  if (by !== "session") return name;
  return (
    <Link to="/chat/{-$sessionKey}" params={{ sessionKey: of }} dir="auto">
      {name}
    </Link>
  );
}

function columnsOf(by: UsagePeriod["by"], nameOf: (key: string) => string): readonly Column<Group>[] {
  const keyOf = ({ keys }: Group): string => keys[by] ?? "";
  const number = (id: string, title: string, valueOf: (group: Group) => number): Column<Group> => ({
    id,
    title,
    align: "end",
    cell: (group) => formatWhole(valueOf(group)),
    sortBy: valueOf,
  });
  return [
    {
      id: "name",
      title: groupText(by),
      sortBy: (group) => (by === "day" ? keyOf(group) : nameOf(keyOf(group))),
      cell: (group) => <GroupName by={by} of={keyOf(group)} name={nameOf(keyOf(group))} />,
    },
    { id: "cost", title: t("Cost"), align: "end", cell: costText, sortBy: ({ costUsd = 0 }) => costUsd },
    number("total", t("Tokens"), ({ total }) => total),
    number("cached", t("From the cache"), ({ cacheRead }) => cacheRead),
    number("read", t("Read"), ({ input, cacheWrite }) => input + cacheWrite),
    number("written", t("Written"), ({ output }) => output),
    { id: "rate", title: t("Cache hit rate"), align: "end", cell: cacheText, sortBy: ({ cacheHitRate = 0 }) => cacheHitRate },
    number("requests", t("Requests"), ({ requests }) => requests),
  ];
}
