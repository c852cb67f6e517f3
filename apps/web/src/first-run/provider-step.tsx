import type { SetupProvider, SetupState } from "@factotum/protocol";

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
          "The demo model answers now: it needs no key and only shows how things work. Choose who shall answer instead."
        ) : (
          <>
            The model is <code>{model.reference}</code>. Choose another provider or another model, or keep it.
          </>
        )}
      </p>
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
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onKeep}>
          {isDemo ? "Stay with the demo" : `Keep ${model.reference}`}
        </button>
      </div>
    </div>
  );
}

function describe({ keyPlace, keyProblem, running, needsKey }: SetupProvider): string {
  if (keyPlace !== undefined) return keyProblem === undefined ? `key in ${keyPlace}` : "its key cannot be read";
  if (running !== undefined) return running ? "runs on the gateway's machine" : "does not run";
  return needsKey ? "needs a key" : "";
}
