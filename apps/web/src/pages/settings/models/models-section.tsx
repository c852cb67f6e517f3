import type { ModelList, SetupProvider, SetupState } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../../data/loaded.tsx";
import { useRpc } from "../../../data/use-rpc.ts";
import { useFirstRun } from "../../../first-run/first-run.tsx";
import { RichText } from "../../../i18n/rich-text.tsx";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { Field } from "../../../ui/field.tsx";
import { KeyLink } from "../configuration/key-link.tsx";
import { KeyForm } from "./key-form.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { TestButton } from "./test-button.tsx";
import styles from "./models.module.css";

/** The model in use, the providers that have a key or need none, and a way to add another one. */
export function ModelsSection(): React.JSX.Element {
  const setup = useRpc("setup.state", {});
  const models = useRpc("models.list", {});
  return <Loaded query={setup}>{(state) => <Loaded query={models}>{(list) => <Models state={state} list={list} />}</Loaded>}</Loaded>;
}

function Models({ state, list }: { readonly state: SetupState; readonly list: ModelList }): React.JSX.Element {
  const isUsed = ({ id, keyPlace, running, needsKey }: SetupProvider): boolean =>
    keyPlace !== undefined || running === true || (!needsKey && list.models.some(({ provider }) => provider === id));
  const used = state.providers.filter(isUsed);
  return (
    <>
      <CurrentModel state={state} />
      {used.map((provider) => (
        <ProviderCard
          key={provider.id}
          provider={provider}
          current={state.model.reference}
          models={list.models.filter((model) => model.provider === provider.id)}
        />
      ))}
      {list.problems.map((problem) => (
        <p key={problem} className="problem" dir="auto">
          {gatewayText(problem)}
        </p>
      ))}
      <AddProvider state={state} providers={state.providers.filter((provider) => !isUsed(provider) && provider.needsKey)} />
    </>
  );
}

function CurrentModel({ state: { model } }: { readonly state: SetupState }): React.JSX.Element {
  const firstRun = useFirstRun();
  return (
    <Card title={t("Model in use")}>
      <p>
        {model.source === "demo" ? (
          t("The demo answers now: it needs no key and only shows how things work. Add a provider below.")
        ) : (
          <RichText id="<0>{model}</0> answers." values={{ model: model.reference }} parts={[<strong key="0" dir="auto" />]} />
        )}
      </p>
      <div className="actions">
        <TestButton model={model.reference} />
        <Button variant="text" onClick={() => void firstRun.open()}>
          {t("Set up step by step")}
        </Button>
      </div>
    </Card>
  );
}

interface AddProviderProps {
  readonly state: SetupState;
  readonly providers: readonly SetupProvider[];
}

/** The key of a provider that has none yet. */
function AddProvider({ state, providers }: AddProviderProps): React.JSX.Element | null {
  const [id, setId] = useState("");
  const provider = providers.find((one) => one.id === id);
  if (providers.length === 0) return null;
  return (
    <Card title={t("Add a provider")}>
      <div className={styles["form"]}>
        <Field label={t("Provider")}>
          {(control) => (
            <select {...control} value={provider?.id ?? ""} onChange={({ target }) => setId(target.value)}>
              <option value="">{t("Choose…")}</option>
              {providers.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {provider === undefined ? null : (
          <KeyForm key={provider.id} provider={provider} isFirst={state.model.source === "demo"} onDone={() => setId("")} />
        )}
        <p className="note">
          <RichText
            id="Another server with an API like OpenAI’s, such as LM Studio or vLLM, is added by its address <0>in the configuration</0>."
            parts={[<KeyLink key="0" path="models.providers" />]}
          />
        </p>
      </div>
    </Card>
  );
}
