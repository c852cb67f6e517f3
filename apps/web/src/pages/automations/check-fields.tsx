import { t } from "../../i18n/t.ts";
import { Field } from "../../ui/field.tsx";
import styles from "./automations.module.css";
import type { JobDraft } from "./job-draft.ts";
import type { DraftProps } from "./payload-fields.tsx";

/** What decides before each run, without a model, whether there is anything to do. */
export function CheckFields({ draft: { check, checked }, onChange }: DraftProps): React.JSX.Element {
  return (
    <div className="field-columns">
      <Field label={t("Runs only if")} hint={t("It is looked at before each run, and costs nothing.")}>
        {(control) => (
          <select {...control} value={check} onChange={({ target }) => onChange({ check: target.value as typeof check, checked: "" })}>
            <option value="">{t("it is time, always")}</option>
            <option value="fileChanged">{t("a file or folder has changed")}</option>
            <option value="url">{t("an address answers")}</option>
            <option value="argv">{t("a program says so")}</option>
          </select>
        )}
      </Field>
      {check === "" ? null : check === "argv" ? (
        <Field
          label={labelOf(check)}
          hint={t("The program in the first line, each of its arguments in a line of its own. It says yes by exit code 0.")}
        >
          {(control) => (
            <textarea
              {...control}
              required
              rows={3}
              spellCheck={false}
              className={`${styles["area"]} ${styles["mono"]}`}
              value={checked}
              onChange={({ target }) => onChange({ checked: target.value })}
            />
          )}
        </Field>
      ) : (
        <Field label={labelOf(check)} hint={hintOf(check)}>
          {(control) => (
            <input
              {...control}
              required
              type={check === "url" ? "url" : "text"}
              dir="auto"
              spellCheck={false}
              value={checked}
              onChange={({ target }) => onChange({ checked: target.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

type Check = Exclude<JobDraft["check"], "">;

function labelOf(check: Check): string {
  if (check === "argv") return t("Program that decides");
  return check === "url" ? t("Address that is asked") : t("File or folder");
}

function hintOf(check: Exclude<Check, "argv">): string {
  return check === "url" ? t("An answer without an error lets it run.") : t("Its path, from the agent’s folder on.");
}
