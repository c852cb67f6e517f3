import { hasUsableKey, mayKeyBeRight, type SetupProvider } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useSession } from "../app/app-context.ts";
import { KeyField, NoKeyNote } from "./key-field.tsx";
import { useStep } from "./use-step.ts";
import { gatewayText } from "../i18n/gateway-text.ts";
import { t } from "../i18n/t.ts";

interface KeyStepProps {
  readonly provider: SetupProvider;
  readonly onBack: () => void;
  /** A key was stored. */
  readonly onStored: () => void;
  /** The provider responds; called with its models. */
  readonly onDone: (models: readonly string[]) => void;
}

/** Asks for a provider's key, tests it by calls that cost nothing, and stores it on the gateway. */
export function KeyStep({ provider, onBack, onStored, onDone }: KeyStepProps): React.JSX.Element {
  const { setup } = useSession();
  const { isBusy, problem, run } = useStep();
  const [key, setKey] = useState("");
  const [canSave, setCanSave] = useState(false);
  const { id, needsKey } = provider;
  const given = key.trim();
  const hasKey = hasUsableKey(provider);

  const change = (text: string): void => {
    setKey(text);
    setCanSave(false);
  };
  const save = async (): Promise<string | undefined> => {
    await setup.storeKey(id, given);
    setKey("");
    onStored();
    return undefined;
  };
  const test = (): void =>
    run(async () => {
      const check = await setup.check({ provider: id, ...(given === "" ? {} : { key: given }) });
      if (check.type !== "works") {
        setCanSave(given !== "" && mayKeyBeRight(check));
        return gatewayText(check.message);
      }
      if (given !== "") await save();
      onDone(check.models);
      return undefined;
    });
  const saveAnyway = (): void =>
    run(async () => {
      await save();
      onDone([]);
      return undefined;
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy && (given !== "" || hasKey || !needsKey)) test();
  };
  return (
    <form className="setup-step" onSubmit={submit}>
      {needsKey ? <KeyField provider={provider} value={key} onChange={change} /> : <NoKeyNote provider={provider} />}
      {problem === undefined ? null : (
        <p className="setup-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-actions apart">
        <button type="button" className="button" onClick={onBack}>
          {t("Back")}
        </button>
        {canSave ? (
          <button type="button" className="button" disabled={isBusy} onClick={saveAnyway}>
            {t("Save it all the same")}
          </button>
        ) : null}
        <button type="submit" className="button primary" disabled={isBusy || (needsKey && given === "" && !hasKey)}>
          {isBusy ? t("Testing…") : given === "" && needsKey ? t("Use this key") : t("Test and go on")}
        </button>
      </div>
    </form>
  );
}
