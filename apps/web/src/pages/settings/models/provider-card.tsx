import { hasUsableKey, type ModelSummary, type SetupProvider } from "@factotum/protocol";
import { useState } from "react";
import { formatExactDollars, formatCompact } from "../../../app/locale.ts";
import { useAction } from "../../../data/use-action.ts";
import { useRpc } from "../../../data/use-rpc.ts";
import { sentenceSpace } from "../../../i18n/sentence-space.ts";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { useToasts } from "../../../ui/toasts.tsx";
import { KeyForm } from "./key-form.tsx";
import { RemoveKey } from "./remove-key.tsx";
import { TestButton } from "./test-button.tsx";
import styles from "./models.module.css";

/** The name of an environment variable, which is set elsewhere. */
const VARIABLE = /^[A-Z0-9_]+$/;
/** Models that are shown at first. */
const FEW = 6;

interface ProviderCardProps {
  readonly provider: SetupProvider;
  /** Reference of the model in use. */
  readonly current: string;
  readonly models: readonly ModelSummary[];
}

/** A provider: its key, and its models. */
export function ProviderCard({ provider, current, models }: ProviderCardProps): React.JSX.Element {
  const { label, keyPlace, keyProblem, running, needsKey } = provider;
  const [isReplacing, setReplacing] = useState(false);
  return (
    <Card title={label} actions={<KeyBadge provider={provider} />}>
      {keyPlace === undefined ? null : (
        <p className="note">
          {t("Its key is in {place}.", { place: keyPlace })}
          {sentenceSpace()}
          {gatewayText(keyProblem ?? "")}
        </p>
      )}
      {running === false ? <p className="note">{t("It does not run on the gateway’s machine now.")}</p> : null}
      {isReplacing ? <KeyForm provider={provider} isFirst={false} onDone={() => setReplacing(false)} /> : null}
      {needsKey || keyPlace !== undefined ? (
        <div className="actions">
          <Button aria-expanded={isReplacing} onClick={() => setReplacing(!isReplacing)}>
            {isReplacing ? t("Cancel") : t("Replace the key")} <span className="sr-only">{label}</span>
          </Button>
          {keyPlace === undefined || VARIABLE.test(keyPlace) ? null : (
            <RemoveKey provider={provider} isInUse={current.startsWith(`${provider.id}/`)} />
          )}
        </div>
      ) : null}
      <ModelList provider={provider} models={models} current={current} />
    </Card>
  );
}

function KeyBadge({ provider }: { readonly provider: SetupProvider }): React.JSX.Element | null {
  if (provider.keyProblem !== undefined) return <Badge tone="bad">{t("Key unreadable")}</Badge>;
  if (hasUsableKey(provider)) return <Badge tone="good">{t("Key stored")}</Badge>;
  if (provider.running === true) return <Badge tone="good">{t("Runs here")}</Badge>;
  return provider.needsKey ? null : <Badge>{t("Needs no key")}</Badge>;
}

/** The models, the one in use first; more than a few only when they are asked for. The provider is asked for its own list only then, too. */
function ModelList({ provider: { id: providerId, label, defaultModel }, models: known, current }: ProviderCardProps): React.JSX.Element {
  const [showsAll, setShowsAll] = useState(false);
  const [asks, setAsks] = useState(false);
  const asked = useRpc("models.list", { provider: providerId, ask: true }, { enabled: asks });
  const models = asked.data?.models ?? known;
  const toasts = useToasts();
  const choose = useAction("setup.model");
  const use = async (model: string): Promise<void> => {
    if ((await choose.run({ model })) !== undefined) toasts.show({ text: t("{model} answers from now on.", { model }) });
  };
  const rank = ({ reference, id }: ModelSummary): number => (reference === current ? 0 : id === defaultModel ? 1 : 2);
  const ordered = models.toSorted((a, b) => rank(a) - rank(b));
  const shown = showsAll ? ordered : ordered.slice(0, FEW);
  return (
    <>
      <ul className={styles["models"]} aria-label={t("Models of {provider}", { provider: label })}>
        {shown.map((model) => (
          <li key={model.reference}>
            <span className={styles["facts"]}>
              <span>
                <bdi>{model.id}</bdi> {model.id === defaultModel ? <Badge>{t("Recommended")}</Badge> : null}
              </span>
              <small>{factsOf(model)}</small>
            </span>
            <span className={`actions ${styles["row-actions"]}`}>
              {model.reference === current ? (
                <Badge tone="good">{t("In use")}</Badge>
              ) : (
                <Button disabled={choose.isBusy} onClick={() => void use(model.reference)}>
                  {t("Use")} <span className="sr-only">{model.reference}</span>
                </Button>
              )}
              <TestButton model={model.reference} />
            </span>
          </li>
        ))}
      </ul>
      {[...(asked.data?.problems ?? []), ...(asked.error === null ? [] : [asked.error.message])].map((problem) => (
        <p key={problem} className="problem" dir="auto">
          {gatewayText(problem)}
        </p>
      ))}
      <div className="actions">
        {ordered.length > shown.length ? (
          <Button variant="text" onClick={() => setShowsAll(true)}>
            {t("Show all {count} models", { count: ordered.length })}
          </Button>
        ) : null}
        {asks && asked.error === null ? null : (
          <Button variant="text" onClick={() => setAsks(true)}>
            {t("Ask {provider} for its list", { provider: label })}
          </Button>
        )}
        {asks && asked.isFetching ? <span className="note">{t("Loading…")}</span> : null}
      </div>
    </>
  );
}

/** What is known of a model, in a few words. */
function factsOf({ alias, contextWindow, price }: ModelSummary): string {
  const facts = [
    alias,
    t("{count} tokens of context", { count: formatCompact(contextWindow) }),
    price === undefined
      ? t("price unknown")
      : t("{input} read, {output} written, a million tokens", {
          input: formatExactDollars(price.input),
          output: formatExactDollars(price.output),
        }),
  ];
  return facts.filter((fact) => fact !== undefined).join(" · ");
}
