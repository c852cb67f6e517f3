import type { JobSummary } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { useRpcMutation } from "../../data/use-rpc.ts";
import { isolate } from "../../i18n/isolate.ts";
import { t } from "../../i18n/t.ts";
import { AgentChoice } from "../../ui/agent-choice.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { focusOnce } from "../../ui/focus-once.ts";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./automations.module.css";
import { changeOf, draftOf, type JobDraft, specOf } from "./job-draft.ts";
import { MoreFields } from "./more-fields.tsx";
import { PayloadFields } from "./payload-fields.tsx";
import { ReportFields } from "./report-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";

interface JobEditorProps {
  /** Absent: a new one. */
  readonly job?: JobSummary;
  readonly onDone: (id: string) => void;
  readonly onCancel: () => void;
}

/** Makes or changes a job. */
export function JobEditor({ job, onDone, onCancel }: JobEditorProps): React.JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(job));
  const change = (part: Partial<JobDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const saving = useSaving(job, onDone);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!saving.isBusy) saving.save(draft);
  };
  return (
    <Card title={job === undefined ? t("What is it to do, and when?") : t("Change the job")}>
      <form className={styles["form"]} onSubmit={submit}>
        <Field label={t("Name")}>
          {(control) => (
            <input
              {...control}
              ref={focusOnce}
              required
              maxLength={100}
              dir="auto"
              value={draft.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </Field>
        {job === undefined ? <AgentField agentId={draft.agentId} onChange={(agentId) => change({ agentId })} /> : null}
        <PayloadFields draft={draft} onChange={change} />
        <ScheduleFields draft={draft} onChange={change} />
        <ReportFields draft={draft} onChange={change} />
        <MoreFields draft={draft} onChange={change} />
        {saving.problem === undefined ? null : (
          <p className="problem" role="alert">
            {saving.problem}
          </p>
        )}
        <div className="actions">
          <Button type="submit" variant="primary" busy={saving.isBusy}>
            {job === undefined ? t("Make the job") : t("Save")}
          </Button>
          <Button onClick={onCancel}>{t("Cancel")}</Button>
        </div>
      </form>
    </Card>
  );
}

interface Saving {
  readonly save: (draft: JobDraft) => void;
  readonly isBusy: boolean;
  readonly problem: string | undefined;
}

function useSaving(job: JobSummary | undefined, onDone: (id: string) => void): Saving {
  const toasts = useToasts();
  const adding = useRpcMutation("cron.add");
  const updating = useRpcMutation("cron.update");
  const onSuccess = ({ job: saved }: { readonly job: JobSummary }): void => {
    toasts.show({ text: t("The job “{name}” is saved.", { name: isolate(saved.spec.name) }) });
    onDone(saved.id);
  };
  return {
    isBusy: adding.isPending || updating.isPending,
    problem: (adding.error ?? updating.error)?.message,
    save: (draft) => {
      const spec = specOf(draft, job?.spec);
      if (job === undefined) {
        adding.mutate({ spec, ...(draft.agentId !== "" && { agentId: draft.agentId }) }, { onSuccess });
        return;
      }
      const { change, unset } = changeOf(job.spec, spec);
      if (Object.keys(change).length === 0 && unset.length === 0) onDone(job.id);
      else updating.mutate({ job: job.id, change, unset }, { onSuccess });
    },
  };
}

/** The agent of a new job; empty for the default one. */
function AgentField({
  agentId,
  onChange,
}: {
  readonly agentId: string;
  readonly onChange: (agentId: string) => void;
}): React.JSX.Element | null {
  const agents = useAppState((state) => state.agents);
  if (agents.length < 2) return null;
  const main = agents.find(({ isDefault }) => isDefault)?.id;
  return (
    <AgentChoice agents={agents} agentId={agentId === "" ? main : agentId} onChange={(chosen) => onChange(chosen === main ? "" : chosen)} />
  );
}
