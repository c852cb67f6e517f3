import { Link } from "@tanstack/react-router";
import type { GatewayStatus, JobSummary } from "@factotum/protocol";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { isolate } from "../../i18n/isolate.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Moment } from "../../ui/moment.tsx";
import { nextRuns } from "./next-runs.ts";
import styles from "./overview.module.css";

const SHOWN = 6;

/** What runs next by itself: jobs and heartbeats. */
export function ScheduleCard({ schedule }: { readonly schedule: GatewayStatus["schedule"] }): React.JSX.Element {
  const jobs = useRpc("cron.list", {});
  return (
    <Card title={t("Next scheduled runs")} actions={<Link to="/automations">{t("Details")}</Link>}>
      {schedule.enabled ? (
        <Loaded query={jobs}>{({ jobs: all }) => <NextRuns jobs={all} heartbeats={schedule.heartbeats} />}</Loaded>
      ) : (
        <EmptyState>{t("Scheduled runs are switched off in the configuration.")}</EmptyState>
      )}
      {schedule.failing.map(({ id, name, failures, disabledBecause }) => (
        <p key={id} className="problem">
          {disabledBecause === undefined
            ? t("{name} has failed {count, plural, one {once} other {# times in a row}}.", { name: isolate(name), count: failures })
            : t("{name} is switched off: {reason}", { name: isolate(name), reason: isolate(gatewayText(disabledBecause)) })}
        </p>
      ))}
    </Card>
  );
}

interface NextRunsProps {
  readonly jobs: readonly JobSummary[];
  readonly heartbeats: GatewayStatus["schedule"]["heartbeats"];
}

function NextRuns({ jobs, heartbeats }: NextRunsProps): React.JSX.Element {
  const runs = nextRuns(jobs, heartbeats).slice(0, SHOWN);
  if (runs.length === 0)
    return <EmptyState>{t("Nothing is scheduled. Ask the assistant to do something every day, or at a certain time.")}</EmptyState>;
  return (
    <ul className={styles["rows"]}>
      {runs.map(({ id, name, agentId, atMs }) => (
        <li key={id}>
          {name === undefined ? (
            <Link to="/automations" search={{ tab: "heartbeat" }}>
              {t("Heartbeat")}
            </Link>
          ) : (
            <Link to="/automations/$jobId" params={{ jobId: id }} dir="auto">
              {name}
            </Link>
          )}
          <Moment atMs={atMs} />
          <small>{agentId}</small>
        </li>
      ))}
    </ul>
  );
}
