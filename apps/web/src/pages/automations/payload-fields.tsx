import { t } from "../../i18n/t.ts";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { JobDraft } from "./job-draft.ts";
import styles from "./automations.module.css";

/** Props of a part of the editor. */
export interface DraftProps {
  readonly draft: JobDraft;
  readonly onChange: (change: Partial<JobDraft>) => void;
}

/** What a job does. */
export function PayloadFields({ draft: { does, text, argv, wake }, onChange }: DraftProps): React.JSX.Element {
  return (
    <>
      <Segmented
        label={t("What it does")}
        choices={[
          { value: "agentTurn", label: t("Give the assistant a task") },
          { value: "message", label: t("Send a text") },
          { value: "systemEvent", label: t("Tell the heartbeat") },
          { value: "command", label: t("Run a program") },
        ]}
        value={does}
        onChange={(next) => onChange({ does: next })}
      />
      {does === "command" ? (
        <Field
          label={t("Program")}
          hint={t("The program in the first line, each of its arguments in a line of its own. What it prints is sent; no model is asked.")}
        >
          {(control) => (
            <textarea
              {...control}
              required
              rows={4}
              spellCheck={false}
              className={`${styles["area"]} ${styles["mono"]}`}
              value={argv}
              onChange={({ target }) => onChange({ argv: target.value })}
            />
          )}
        </Field>
      ) : (
        <Field label={labelOf(does)} hint={hintOf(does)}>
          {(control) => (
            <textarea
              {...control}
              required
              rows={5}
              dir="auto"
              className={styles["area"]}
              value={text}
              onChange={({ target }) => onChange({ text: target.value })}
            />
          )}
        </Field>
      )}
      {does === "systemEvent" ? (
        <label className="check">
          <input
            type="checkbox"
            checked={wake === "now"}
            onChange={({ target }) => onChange({ wake: target.checked ? "now" : "next-heartbeat" })}
          />
          {t("Wake the heartbeat at once")}
        </label>
      ) : null}
    </>
  );
}

function labelOf(does: JobDraft["does"]): string {
  if (does === "agentTurn") return t("Task");
  return does === "message" ? t("Text") : t("What has happened");
}

function hintOf(does: JobDraft["does"]): string {
  if (does === "agentTurn") return t("The assistant does it in a conversation of its own and sends its answer. That costs tokens.");
  return does === "message" ? t("It is sent as it is, and costs nothing.") : t("The next heartbeat reads it.");
}
