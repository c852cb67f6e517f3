import { offeredModels, type SetupProvider } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useSession } from "../app/app-context.ts";
import { focusOnce } from "../ui/focus-once.ts";
import { useStep } from "./use-step.ts";
import { t } from "../i18n/t.ts";

interface ModelStepProps {
  readonly provider: SetupProvider;
  readonly models: readonly string[];
  readonly onBack: () => void;
  /** Called with `provider/model` once the model is in use. */
  readonly onDone: (model: string) => void;
}

const OTHER = "";

/** Selects one of the provider's models, or one by name, and tests that the key may use it. */
export function ModelStep({ provider, models, onBack, onDone }: ModelStepProps): React.JSX.Element {
  const { setup } = useSession();
  const { isBusy, problem, run } = useStep();
  const { id, label, defaultModel } = provider;
  const names = offeredModels(provider, models);
  const [chosen, setChosen] = useState(names[0] ?? OTHER);
  const [typed, setTyped] = useState("");
  const name = chosen === OTHER ? typed.trim() : chosen;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name === "" || isBusy) return;
    run(async () => {
      const check = await setup.check({ provider: id, model: name });
      if (check.type === "unknown-model") return t('{label} has no model "{name}" for this key. Choose another one.', { label, name });
      if (check.type === "unusable-model") return t('"{name}" is not for conversations. Choose another one.', { name });
      await setup.chooseModel(`${id}/${name}`);
      onDone(`${id}/${name}`);
      return undefined;
    });
  };
  return (
    <form className="setup-step" onSubmit={submit}>
      <output>
        {models.length === 0
          ? t("{label} is set up.", { label })
          : t("{label} answers and has {count, plural, one {# model} other {# models}}.", { label, count: models.length })}
      </output>
      <label className="field">
        <span>{t("Model")}</span>
        <select value={chosen} ref={focusOnce} onChange={(event) => setChosen(event.target.value)}>
          {names.map((one) => (
            <option key={one} value={one}>
              {one === defaultModel ? t("{model} (recommended)", { model: one }) : one}
            </option>
          ))}
          <option value={OTHER}>{t("Another one…")}</option>
        </select>
      </label>
      {chosen === OTHER ? (
        <label className="field">
          <span>{t("Its name at {label}", { label })}</span>
          <input type="text" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
      ) : null}
      {problem === undefined ? null : (
        <p className="setup-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions apart">
        <button type="button" className="button" onClick={onBack}>
          {t("Back")}
        </button>
        <button type="submit" className="button primary" disabled={isBusy || name === ""}>
          {isBusy ? t("Testing…") : t("Use this model")}
        </button>
      </div>
    </form>
  );
}
