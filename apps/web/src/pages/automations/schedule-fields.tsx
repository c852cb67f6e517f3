import { useEffect, useId, useState } from "react";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import styles from "./automations.module.css";
import { isSpread } from "./is-spread.ts";
import { type JobDraft, scheduleOf } from "./job-draft.ts";
import { formatIn } from "../../app/locale.ts";

interface ScheduleFieldsProps {
  readonly draft: JobDraft;
  readonly onChange: (change: Partial<JobDraft>) => void;
}

/** Milliseconds after the last key until the next times are asked for. */
const TYPED_MS = 250;
const NEXT = 10;
/** A time of the clock without a zone, as the browser's own field writes it. */
const CLOCK_TIME = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)?$/;

/** When a job runs, with its next times. */
export function ScheduleFields({ draft, onChange }: ScheduleFieldsProps): React.JSX.Element {
  const preview = usePreview(draft);
  const error = preview.error?.message;
  return (
    <>
      <Segmented
        label={t("When")}
        choices={[
          { value: "cron", label: t("At certain times") },
          { value: "every", label: t("At an interval") },
          { value: "at", label: t("Once") },
        ]}
        value={draft.when}
        onChange={(when) => onChange({ when })}
      />
      <div className="field-columns">
        <div className={styles["fields"]}>
          <TimeField draft={draft} onChange={onChange} error={error} />
          <ZoneField zone={draft.timezone} onChange={(timezone) => onChange({ timezone })} />
        </div>
        <NextTimes preview={preview} isSpread={isSpread(scheduleOf(draft), draft.does)} />
      </div>
    </>
  );
}

function TimeField({ draft, onChange, error }: ScheduleFieldsProps & { readonly error: string | undefined }): React.JSX.Element {
  if (draft.when === "every")
    return (
      <Field label={t("Interval")} hint={t("Such as 30m, 2h or 1d.")} error={error}>
        {(control) => <input {...control} required value={draft.every} onChange={({ target }) => onChange({ every: target.value })} />}
      </Field>
    );
  if (draft.when === "at") {
    const isClock = CLOCK_TIME.test(draft.at);
    return (
      <Field label={t("Day and time")} error={error}>
        {(control) => (
          <input
            {...control}
            required
            type={isClock ? "datetime-local" : "text"}
            value={draft.at}
            onChange={({ target }) => onChange({ at: target.value })}
          />
        )}
      </Field>
    );
  }
  return (
    <>
      <CodeField
        label={t("Times (cron expression)")}
        hint={t("Minute, hour, day of the month, month, day of the week. A * stands for each.")}
        error={error}
        required
        className={styles["mono"]}
        value={draft.cron}
        onChange={(cron) => onChange({ cron })}
      />
      <Examples onChoose={(cron) => onChange({ cron })} />
    </>
  );
}

function Examples({ onChoose }: { readonly onChoose: (cron: string) => void }): React.JSX.Element {
  const examples = [
    { cron: "0 8 * * *", label: t("Every day") },
    { cron: "0 8 * * 1-5", label: t("On weekdays") },
    { cron: "0 8 * * 1", label: t("Every Monday") },
    { cron: "0 * * * *", label: t("Every hour") },
    { cron: "0 8 1 * *", label: t("Every month") },
  ];
  return (
    <div className={styles["examples"]}>
      {examples.map(({ cron, label }) => (
        <Button key={cron} variant="text" onClick={() => onChoose(cron)}>
          {label}
        </Button>
      ))}
    </div>
  );
}

function ZoneField({ zone, onChange }: { readonly zone: string; readonly onChange: (zone: string) => void }): React.JSX.Element {
  return (
    <CodeField
      label={t("Time zone")}
      hint={t("Empty: that of the agent.")}
      known={Intl.supportedValuesOf("timeZone")}
      value={zone}
      onChange={onChange}
    />
  );
}

interface NextTimesProps {
  readonly preview: ReturnType<typeof usePreview>;
  readonly isSpread: boolean;
}

function NextTimes({ preview: { data }, isSpread: isLater }: NextTimesProps): React.JSX.Element {
  const id = useId();
  return (
    <div className={styles["next"]}>
      <h3 id={id}>{t("Next times")}</h3>
      {data === undefined ? (
        <p>{t("They are shown here as soon as the schedule is complete.")}</p>
      ) : data.instantsMs.length === 0 ? (
        <p>{t("There are none: this time is over.")}</p>
      ) : (
        <>
          <ol aria-labelledby={id}>
            {data.instantsMs.map((atMs) => (
              <li key={atMs}>
                <time dateTime={new Date(atMs).toISOString()}>{formatIn(atMs, data.timezone)}</time>
              </li>
            ))}
          </ol>
          <p>{t("In the time of {zone}.", { zone: data.timezone })}</p>
          {isLater ? <p>{t("It begins within five minutes of the full hour; “More settings” can make that exact.")}</p> : null}
        </>
      )}
    </div>
  );
}

/** The next times of a schedule, once the typing pauses. */
function usePreview(draft: JobDraft) {
  const typed = JSON.stringify({ schedule: scheduleOf(draft), agentId: draft.agentId });
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { schedule, agentId } = JSON.parse(settled) as { schedule?: NonNullable<ReturnType<typeof scheduleOf>>; agentId: string };
  return useRpc(
    "cron.preview",
    { schedule: schedule ?? { type: "at", at: "" }, count: NEXT, ...(agentId !== "" && { agentId }) },
    { enabled: schedule !== undefined },
  );
}
