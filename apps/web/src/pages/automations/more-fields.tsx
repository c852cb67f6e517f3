import { THINKING_LEVEL_IDS } from "@factotum/protocol";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { CodeField } from "../../ui/code-field.tsx";
import { Field } from "../../ui/field.tsx";
import { CheckFields } from "./check-fields.tsx";
import styles from "./automations.module.css";
import type { DraftProps } from "./payload-fields.tsx";

/** The parts of a job that have a default which is mostly right. */
export function MoreFields({ draft, onChange }: DraftProps): React.JSX.Element {
  const { does, session, exact, when, lightContext, deleteAfterRun, description, timeoutSeconds } = draft;
  const isTask = does === "agentTurn";
  return (
    <details className={styles["more"]}>
      <summary>{t("More settings")}</summary>
      <div className={styles["form"]}>
        <Field label={t("What it is for")} hint={t("A note for you.")}>
          {(control) => (
            <input
              {...control}
              dir="auto"
              maxLength={1000}
              value={description}
              onChange={({ target }) => onChange({ description: target.value })}
            />
          )}
        </Field>
        {isTask || does === "systemEvent" ? <SessionFields draft={draft} onChange={onChange} /> : null}
        {isTask ? <ModelFields draft={draft} onChange={onChange} /> : null}
        <CheckFields draft={draft} onChange={onChange} />
        <div className="field-columns">
          <MissedField draft={draft} onChange={onChange} />
          <OverlapField draft={draft} onChange={onChange} />
          <Field label={t("Limit of a run")} hint={t("Seconds. Empty: that of the agent.")}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={1}
                max={86_400}
                value={timeoutSeconds}
                onChange={({ target }) => onChange({ timeoutSeconds: target.value })}
              />
            )}
          </Field>
        </div>
        {isTask && session === "isolated" ? (
          <Check
            label={t("Without the files of the agent in the prompt")}
            checked={lightContext}
            onChange={(on) => onChange({ lightContext: on })}
          />
        ) : null}
        {when === "cron" ? (
          <Check
            label={t("Exactly at the full hour, not spread over five minutes")}
            checked={exact}
            onChange={(on) => onChange({ exact: on })}
          />
        ) : null}
        <Check label={t("Delete it after its run")} checked={deleteAfterRun} onChange={(on) => onChange({ deleteAfterRun: on })} />
      </div>
    </details>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

function Check({ label, checked, onChange }: CheckProps): React.JSX.Element {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
      {label}
    </label>
  );
}

function SessionFields({ draft: { session, sessionKey }, onChange }: DraftProps): React.JSX.Element {
  return (
    <div className="field-columns">
      <Field label={t("Works in")}>
        {(control) => (
          <select {...control} value={session} onChange={({ target }) => onChange({ session: target.value as typeof session })}>
            <option value="isolated">{t("a conversation of its own")}</option>
            <option value="main">{t("the main conversation")}</option>
            <option value="key">{t("another conversation")}</option>
          </select>
        )}
      </Field>
      {session === "key" ? (
        <CodeField
          label={t("Key of the conversation")}
          hint={t("Such as agent:main:main.")}
          required
          value={sessionKey}
          onChange={(next) => onChange({ sessionKey: next })}
        />
      ) : null}
    </div>
  );
}

function ModelFields({ draft: { session, model, thinking, tools }, onChange }: DraftProps): React.JSX.Element {
  const models = useRpc("models.list", {});
  return (
    <>
      <div className="field-columns">
        {session === "isolated" ? (
          <CodeField
            label={t("Model")}
            hint={t("Empty: that of the agent.")}
            known={(models.data?.models ?? []).map(({ reference }) => reference)}
            value={model}
            onChange={(next) => onChange({ model: next })}
          />
        ) : null}
        <Field label={t("Thinking")}>
          {(control) => (
            <select {...control} value={thinking} onChange={({ target }) => onChange({ thinking: target.value })}>
              <option value="">{t("as usual")}</option>
              {THINKING_LEVEL_IDS.map((level) => (
                <option key={level} value={level}>
                  {level}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {session === "isolated" ? (
        <CodeField
          label={t("Tools")}
          hint={t("The only tools that it may use, with spaces between their names. Empty: those of its agent.")}
          value={tools}
          onChange={(next) => onChange({ tools: next })}
        />
      ) : null}
    </>
  );
}

function MissedField({ draft: { catchUp }, onChange }: DraftProps): React.JSX.Element {
  return (
    <Field label={t("What was missed")} hint={t("While the gateway was down.")}>
      {(control) => (
        <select {...control} value={catchUp} onChange={({ target }) => onChange({ catchUp: target.value as typeof catchUp })}>
          <option value="">{t("as usual")}</option>
          <option value="skip">{t("is left out")}</option>
          <option value="once">{t("is made up for once")}</option>
          <option value="all">{t("is made up for each time")}</option>
        </select>
      )}
    </Field>
  );
}

function OverlapField({ draft: { overlap }, onChange }: DraftProps): React.JSX.Element {
  return (
    <Field label={t("If the run before is not over")}>
      {(control) => (
        <select {...control} value={overlap} onChange={({ target }) => onChange({ overlap: target.value as typeof overlap })}>
          <option value="">{t("as usual")}</option>
          <option value="skip">{t("it is left out")}</option>
          <option value="queue">{t("it waits")}</option>
          <option value="replace">{t("that one is stopped")}</option>
        </select>
      )}
    </Field>
  );
}
