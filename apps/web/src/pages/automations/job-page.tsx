import type { JobGrants, JobSummary } from "@factotum/protocol";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { mainKeyOf } from "../../app/app-state.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { isolate } from "../../i18n/isolate.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { RichText } from "../../i18n/rich-text.tsx";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fact } from "../../ui/fact.tsx";
import { focusOnce } from "../../ui/focus-once.ts";
import { Moment } from "../../ui/moment.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import { deliveryText, payloadContent, payloadText, scheduleText } from "./automation-texts.ts";
import { NextRun } from "./next-run.tsx";
import styles from "./automations.module.css";
import { JobEditor } from "./job-editor.tsx";
import { JobBadge, JobButtons } from "./jobs-panel.tsx";
import { RunTable } from "./run-table.tsx";

const RUNS = 50;

/** A job with its runs, or a new one that is being written. */
export function JobPage(): React.JSX.Element {
  const { jobId } = useParams({ from: "/data/automations/$jobId" });
  const isNew = jobId === "new";
  const job = useRpc("cron.get", { job: jobId }, { enabled: !isNew });
  return (
    <PageFrame title={isNew ? t("New job") : (job.data?.job.spec.name ?? t("Job"))}>
      <div className="page-scroll">
        <div className="page-content">
          <p>
            <Link to="/automations" className={styles["back"]}>
              {t("All jobs")}
            </Link>
          </p>
          {isNew ? <NewJob /> : <Loaded query={job}>{(found) => <JobView {...found} />}</Loaded>}
        </div>
      </div>
    </PageFrame>
  );
}

function NewJob(): React.JSX.Element {
  const navigate = useNavigate();
  return (
    <JobEditor
      onDone={(id) => void navigate({ to: "/automations/$jobId", params: { jobId: id }, replace: true })}
      onCancel={() => void navigate({ to: "/automations" })}
    />
  );
}

function JobView({ job, grants }: { readonly job: JobSummary; readonly grants: JobGrants }): React.JSX.Element {
  const [view, setView] = useState<"shown" | "editing" | "edited">("shown");
  if (view === "editing") return <JobEditor job={job} onDone={() => setView("edited")} onCancel={() => setView("edited")} />;
  return (
    <>
      <JobCard job={job} grants={grants} wasEdited={view === "edited"} onEdit={() => setView("editing")} />
      <GrantsCard job={job} grants={grants} />
      <RunsCard job={job} />
    </>
  );
}

interface JobCardProps {
  readonly job: JobSummary;
  readonly grants: JobGrants;
  /** The editor has closed: the button that opened it gets the focus. */
  readonly wasEdited: boolean;
  readonly onEdit: () => void;
}

function JobCard({ job, grants, wasEdited, onEdit }: JobCardProps): React.JSX.Element {
  const { agentId, spec, createdAtMs, disabledBecause } = job;
  return (
    <Card title={payloadText(spec.payload)} actions={<JobBadge job={job} />}>
      {spec.description === undefined ? null : <p dir="auto">{spec.description}</p>}
      <ScrollBox className="quoted" label={t("What it does")}>
        <div dir="auto">{payloadContent(spec.payload)}</div>
      </ScrollBox>
      <dl className="fact-columns">
        <Fact name={t("When")}>{scheduleText(spec.schedule)}</Fact>
        {spec.check === undefined ? null : <Fact name={t("Runs only if")}>{checkText(spec.check)}</Fact>}
        <Fact name={t("Next run")}>
          <NextRun job={job} />
        </Fact>
        <Fact name={t("Agent")}>
          <bdi>{agentId}</bdi>
        </Fact>
        <Fact name={t("Reports to")}>
          <bdi>{deliveryText(spec.delivery, grants)}</bdi>
        </Fact>
        {spec.model === undefined ? null : <Fact name={t("Model")}>{spec.model}</Fact>}
        <Fact name={t("Made on")}>
          <Moment atMs={createdAtMs} />
        </Fact>
      </dl>
      {disabledBecause === undefined ? null : (
        <p className="problem">
          {t("Switched off:")}
          {sentenceSpace()}
          <bdi>{gatewayText(disabledBecause)}</bdi>
        </p>
      )}
      <div className="actions">
        <JobButtons job={job} />
        <Button ref={wasEdited ? focusOnce : undefined} onClick={onEdit}>
          {t("Change")}
        </Button>
        <DeleteButton job={job} />
      </div>
    </Card>
  );
}

function DeleteButton({ job: { id, spec } }: { readonly job: JobSummary }): React.JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const toasts = useToasts();
  const removing = useAction("cron.remove");
  const remove = async (): Promise<void> => {
    if ((await removing.run({ job: id })) === undefined) return;
    toasts.show({ text: t("The job “{name}” is deleted.", { name: isolate(spec.name) }) });
    await navigate({ to: "/automations" });
  };
  return (
    <>
      <Button variant="danger" busy={removing.isBusy} onClick={() => setAsking(true)}>
        {t("Delete…")}
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={t("Delete this job?")}
          text={t("The list of its runs goes with it, and a run of it that is not over is stopped. This cannot be undone.")}
          yes={t("Delete")}
          danger
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

const ALLOWED_BY = {
  owner: () => t("you"),
  approval: () => t("a decision in a chat"),
  mode: () => t("the setting tools.exec.mode"),
} as const;

function GrantsCard({
  job: { agentId, spec, createdIn },
  grants,
}: {
  readonly job: JobSummary;
  readonly grants: JobGrants;
}): React.JSX.Element {
  const { owner, madeBy, programs, problem } = grants;
  const isTask = spec.payload.type === "agentTurn";
  return (
    <Card title={t("What it may do")}>
      <dl className="fact-columns">
        <Fact name={t("Made by")}>{madeBy === undefined ? t("you, outside of a conversation") : <bdi>{madeBy}</bdi>}</Fact>
        <Fact name={t("Authority")}>
          {owner ? t("yours") : t("that of its maker: it runs in the sandbox and reports to its own conversation")}
        </Fact>
        {madeBy === undefined ? null : (
          <Fact name={t("Made in")}>
            <Conversation sessionKey={createdIn} agentId={agentId} />
          </Fact>
        )}
        {isTask ? <Fact name={t("Tools")}>{spec.tools === undefined ? t("those of its agent") : spec.tools.join(", ")}</Fact> : null}
        {isTask ? <Fact name={t("Works in")}>{sessionText(spec.session)}</Fact> : null}
        {programs.map(({ files, allowedBy }) => (
          <Fact key={files.join("\n")} name={t("Program")}>
            <RichText
              id="<0>{files}</0> (allowed by {who})"
              values={{ files: files.join(", "), who: ALLOWED_BY[allowedBy]() }}
              parts={[<bdi key="0" />]}
            />
          </Fact>
        ))}
      </dl>
      {problem === undefined ? null : (
        <p className="problem">
          {t("Its program is not run:")}
          {sentenceSpace()}
          <bdi>{gatewayText(problem)}</bdi>
        </p>
      )}
    </Card>
  );
}

/** A conversation by the name that the list of conversations gives it, or by its key. */
function Conversation({ sessionKey, agentId }: { readonly sessionKey: string; readonly agentId: string }): React.JSX.Element {
  const summary = useAppState((state) => state.sessions.find(({ key }) => key === sessionKey));
  const mainKey = useAppState((state) => mainKeyOf(state, agentId));
  const isKnown = summary !== undefined || sessionKey === mainKey;
  return (
    <Link to="/chat/{-$sessionKey}" params={{ sessionKey }}>
      <bdi>{isKnown ? sessionTitle(sessionKey, summary, mainKey) : sessionKey}</bdi>
    </Link>
  );
}

function checkText(check: NonNullable<JobSummary["spec"]["check"]>): string {
  switch (check.type) {
    case "argv":
      return t("{program} says so", { program: isolate(check.argv.join(" ")) });
    case "url":
      return t("{url} answers", { url: isolate(check.url) });
    case "fileChanged":
      return t("{path} has changed", { path: isolate(check.path) });
  }
}

function sessionText(session: JobSummary["spec"]["session"]): string {
  if (session === undefined || session === "isolated") return t("a conversation of its own");
  return session === "main" ? t("the main conversation") : session.key;
}

function RunsCard({ job }: { readonly job: JobSummary }): React.JSX.Element {
  const runs = useRpc("cron.runs", { job: job.id, limit: RUNS });
  return (
    <Card title={t("Runs")}>
      <Loaded query={runs}>
        {({ runs: all }) =>
          all.length === 0 ? (
            <EmptyState>{t("It has not run yet. Run it now to see what it does.")}</EmptyState>
          ) : (
            <RunTable caption={t("Runs of this job")} runs={all} />
          )
        }
      </Loaded>
    </Card>
  );
}
