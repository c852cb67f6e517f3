import type { ConfigView } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { type Settings, useSettings } from "../../data/use-settings.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { focusOnce } from "../../ui/focus-once.ts";
import { heartbeatDraft, type HeartbeatDraft, heartbeatPatch } from "./agent-heartbeat.ts";
import styles from "./automations.module.css";

interface HeartbeatFormProps {
  readonly agentId: string;
  readonly onClose: () => void;
}

/** Changes the heartbeat of an agent in the configuration. */
export function HeartbeatForm(props: HeartbeatFormProps): React.JSX.Element {
  const settings = useSettings();
  return <Loaded query={settings.view}>{(view) => <LoadedForm {...props} view={view} settings={settings} />}</Loaded>;
}

interface LoadedFormProps extends HeartbeatFormProps {
  readonly view: ConfigView;
  readonly settings: Settings;
}

function LoadedForm({ agentId, onClose, view, settings: { save, isBusy } }: LoadedFormProps): React.JSX.Element {
  // What is typed was made for this text; a later one is not overwritten unseen.
  const [read] = useState(view);
  const [draft, setDraft] = useState<HeartbeatDraft>(() => {
    const before = heartbeatDraft(read, agentId);
    return before.isOn ? before : { ...before, isOn: true, start: "08:00", end: "22:00" };
  });
  const change = (part: Partial<HeartbeatDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const write = async (next: HeartbeatDraft): Promise<void> => {
    if (await save(heartbeatPatch(read, agentId, next), read)) onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) void write(draft);
  };
  const wasOn = heartbeatDraft(read, agentId).isOn;
  return (
    <form className={styles["form"]} onSubmit={submit}>
      <HeartbeatFields draft={draft} onChange={change} />
      <div className="actions">
        <Button type="submit" variant="primary" busy={isBusy}>
          {wasOn ? t("Save") : t("Switch on")}
        </Button>
        {wasOn ? (
          <Button busy={isBusy} onClick={() => void write({ ...draft, isOn: false })}>
            {t("Switch off")}
          </Button>
        ) : null}
        <Button onClick={onClose}>{t("Cancel")}</Button>
      </div>
    </form>
  );
}

interface HeartbeatFieldsProps {
  readonly draft: HeartbeatDraft;
  readonly onChange: (change: Partial<HeartbeatDraft>) => void;
}

function HeartbeatFields({ draft: { every, start, end, target, prompt, model }, onChange }: HeartbeatFieldsProps): React.JSX.Element {
  return (
    <>
      <div className="field-columns">
        <Field label={t("Interval")} hint={t("Such as 30m, 2h or 1d.")}>
          {(control) => (
            <input {...control} ref={focusOnce} required value={every} onChange={({ target: { value } }) => onChange({ every: value })} />
          )}
        </Field>
        <Field label={t("From")} hint={t("Without both times it runs all day.")}>
          {(control) => <input {...control} type="time" value={start} onChange={({ target: { value } }) => onChange({ start: value })} />}
        </Field>
        <Field label={t("Until")}>
          {(control) => <input {...control} type="time" value={end} onChange={({ target: { value } }) => onChange({ end: value })} />}
        </Field>
      </div>
      <CodeField
        label={t("Reports to")}
        hint={t(
          "owner: where you wrote last. last: your newest message. none: nowhere. Or an address: the channel, a colon, and the id of the chat.",
        )}
        value={target}
        onChange={(next) => onChange({ target: next })}
      />
      <Field label={t("What it is asked")} hint={t("Empty: it goes through HEARTBEAT.md, and costs nothing while that has nothing to do.")}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            dir="auto"
            className={styles["area"]}
            value={prompt}
            onChange={({ target: { value } }) => onChange({ prompt: value })}
          />
        )}
      </Field>
      <CodeField
        label={t("Model")}
        hint={t("Empty: that of the agent. With another one it runs in a conversation of its own.")}
        value={model}
        onChange={(next) => onChange({ model: next })}
      />
    </>
  );
}
