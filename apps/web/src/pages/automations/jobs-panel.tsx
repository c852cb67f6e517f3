import type { JobSummary } from "@factotum/protocol";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAppState } from "../../app/app-context.ts";
import { formatDollars } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { isolate } from "../../i18n/isolate.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Moment } from "../../ui/moment.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { scheduleText } from "./automation-texts.ts";
import { NextRun } from "./next-run.tsx";
import styles from "./automations.module.css";
import { RunState } from "./run-table.tsx";

/** The scheduled jobs, the next one first. */
export function JobsPanel(): React.JSX.Element {
  const jobs = useRpc("cron.list", {});
  const status = useRpc("status", {});
  const navigate = useNavigate();
  const add = (
    <Button variant="primary" onClick={() => void navigate({ to: "/automations/$jobId", params: { jobId: "new" } })}>
      {t("New job")}
    </Button>
  );
  return (
    <>
      {status.data?.schedule.enabled === false ? (
        <p className="problem">{t("Scheduled runs are switched off in the configuration (cron.enabled). No job runs.")}</p>
      ) : null}
      <Loaded query={jobs}>
        {({ jobs: all }) =>
          all.length === 0 ? (
            <EmptyState action={add}>
              {t(
                "A job does something at a time that you choose: a reminder, a summary every morning, a check every hour. Make one here, or ask the assistant for it.",
              )}
            </EmptyState>
          ) : (
            <>
              <div className={styles["bar"]}>{add}</div>
              <ul className={styles["list"]}>
                {inOrder(all).map((job) => (
                  <JobItem key={job.id} job={job} />
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The next one first; those that will not run last, oldest first. */
function inOrder(jobs: readonly JobSummary[]): readonly JobSummary[] {
  return jobs.toSorted((one, other) => (one.nextAtMs ?? Infinity) - (other.nextAtMs ?? Infinity) || one.createdAtMs - other.createdAtMs);
}

function JobItem({ job }: { readonly job: JobSummary }): React.JSX.Element {
  const { id, agentId, spec, last, failures, disabledBecause } = job;
  const hasSeveral = useAppState(({ agents }) => agents.length > 1);
  return (
    <li className="list-item">
      <div className={`item-head ${styles["head"]}`}>
        <h2>
          <Link to="/automations/$jobId" params={{ jobId: id }}>
            <bdi>{spec.name}</bdi>
          </Link>
        </h2>
        <JobBadge job={job} />
      </div>
      <dl className="fact-columns">
        <Fact name={t("When")}>{scheduleText(spec.schedule)}</Fact>
        <Fact name={t("Next run")}>
          <NextRun job={job} />
        </Fact>
        <Fact name={t("Last result")}>
          {last === undefined ? (
            t("It has not run yet.")
          ) : (
            <>
              <RunState run={last} /> <Moment atMs={last.slotMs} />
              {last.costUsd === undefined ? null : ` · ${formatDollars(last.costUsd)}`}
            </>
          )}
        </Fact>
        {hasSeveral ? (
          <Fact name={t("Agent")}>
            <bdi>{agentId}</bdi>
          </Fact>
        ) : null}
      </dl>
      {disabledBecause === undefined ? null : (
        <p className="problem">
          {t("Switched off:")}
          {sentenceSpace()}
          <bdi>{gatewayText(disabledBecause)}</bdi>
        </p>
      )}
      {failures > 0 && disabledBecause === undefined ? (
        <p className="problem">{t("It has failed {count, plural, one {once} other {# times in a row}}.", { count: failures })}</p>
      ) : null}
      <JobButtons job={job} />
    </li>
  );
}

/** Whether a job is on, in a word. */
export function JobBadge({ job: { spec, disabledBecause, nextAtMs, last } }: { readonly job: JobSummary }): React.JSX.Element {
  if (last?.state === "running" || last?.state === "claimed") return <Badge tone="good">{t("Running")}</Badge>;
  if (disabledBecause !== undefined) return <Badge tone="bad">{t("Switched off")}</Badge>;
  if (spec.enabled === false) return <Badge>{t("Off")}</Badge>;
  return nextAtMs === undefined ? <Badge>{t("Over")}</Badge> : <Badge tone="good">{t("On")}</Badge>;
}

/** Runs a job, and switches it on and off. */
export function JobButtons({ job: { id, spec, disabledBecause, last } }: { readonly job: JobSummary }): React.JSX.Element {
  const toasts = useToasts();
  const running = useAction("cron.run");
  const changing = useAction("cron.update");
  const isOff = spec.enabled === false || disabledBecause !== undefined;
  const isRunning = last?.state === "running" || last?.state === "claimed";
  const run = async (): Promise<void> => {
    if ((await running.run({ job: id })) !== undefined)
      toasts.show({ text: t("The job “{name}” runs now.", { name: isolate(spec.name) }) });
  };
  const turn = async (enabled: boolean): Promise<void> => {
    const done = await changing.run({ job: id, change: { enabled } });
    if (done === undefined) return;
    const undo = { label: t("Undo"), run: () => void changing.run({ job: id, change: { enabled: !enabled } }) };
    const text = enabled ? t("“{name}” is on.", { name: isolate(spec.name) }) : t("“{name}” is off.", { name: isolate(spec.name) });
    toasts.show({ text, ...(!enabled && { action: undo }) });
  };
  return (
    <div className="actions">
      <Button busy={running.isBusy} disabled={isRunning} onClick={() => void run()}>
        {t("Run now")}
      </Button>
      <Button busy={changing.isBusy} onClick={() => void turn(isOff)}>
        {isOff ? t("Switch on") : t("Switch off")}
      </Button>
    </div>
  );
}
