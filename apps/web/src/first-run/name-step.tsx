import { type FormEvent, useState } from "react";
import { useSession } from "../app/app-context.ts";
import { focusOnce } from "../ui/focus-once.ts";
import { useStep } from "./use-step.ts";
import { t } from "../i18n/t.ts";

interface NameStepProps {
  readonly name: string;
  /** Called with the name, or without one if the step was skipped. */
  readonly onDone: (name: string | undefined) => void;
}

/** Sets the assistant's name. */
export function NameStep({ name: before, onDone }: NameStepProps): React.JSX.Element {
  const { setup } = useSession();
  const { isBusy, problem, run } = useStep();
  const [name, setName] = useState(before);
  const given = name.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (given === "" || isBusy) return;
    run(async () => {
      if (given !== before) await setup.nameAssistant(given);
      onDone(given);
      return undefined;
    });
  };
  return (
    <form className="setup-step" onSubmit={submit}>
      <label className="field">
        <span>{t("The assistant’s name")}</span>
        <input
          type="text"
          autoComplete="off"
          maxLength={80}
          ref={focusOnce}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {problem === undefined ? null : (
        <p className="setup-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions apart">
        <button type="button" className="button" onClick={() => onDone(before === "" ? undefined : before)}>
          {t("Skip")}
        </button>
        <button type="submit" className="button primary" disabled={isBusy || given === ""}>
          {t("Save name")}
        </button>
      </div>
    </form>
  );
}
