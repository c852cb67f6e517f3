import type { SetupProvider, SetupState } from "@factotum/protocol";
import { t } from "../i18n/t.ts";
import { RichText } from "../i18n/rich-text.tsx";

interface ProviderStepProps {
  readonly state: SetupState;
  readonly onChoose: (provider: SetupProvider) => void;
  /** Keep the current model. */
  readonly onKeep: () => void;
}

/** Selects a provider, or keeps the current model. */
export function ProviderStep({ state: { model, providers }, onChoose, onKeep }: ProviderStepProps): React.JSX.Element {
  const isDemo = model.source === "demo";
  return (
    <div className="setup-step">
      <p>
        {isDemo ? (
          t("The demo model answers now: it needs no key and only shows how things work. Choose who shall answer instead.")
        ) : (
          <RichText
            id="The model is <0>{model}</0>. Choose another provider or another model, or keep it."
            values={{ model: model.reference }}
            parts={[<code key="0" />]}
          />
        )}
      </p>
      {/* Before the list, which is longer than the screen of a phone. */}
      <div>
        <button type="button" className="button" onClick={onKeep}>
          {isDemo ? t("Stay with the demo") : t("Keep {model}", { model: model.reference })}
        </button>
      </div>
      <ul className="setup-providers">
        {providers.map((provider) => (
          <li key={provider.id}>
            <button type="button" className="button" onClick={() => onChoose(provider)}>
              <span>{provider.label}</span>
              <small>{describe(provider)}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describe({ keyPlace, keyProblem, running, needsKey }: SetupProvider): string {
  if (keyPlace !== undefined) return keyProblem === undefined ? t("key in {place}", { place: keyPlace }) : t("its key cannot be read");
  if (running !== undefined) return running ? t("runs on the gateway's machine") : t("does not run");
  return needsKey ? t("needs a key") : "";
}
