import type { ContextRequest, ModelSummary, ReplayResult } from "@factotum/protocol";
import { formatExactDollars } from "../../app/locale.ts";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { count, sentTokens } from "./context-words.ts";
import styles from "./context.module.css";
import { useReplay } from "./use-replay.ts";

interface ReplayCardProps {
  readonly request: ContextRequest;
  readonly sessionKey: string;
}

/** Sends the request again, to its model or another: what it costs first, then the answer while it is written. The conversation does not change. */
export function ReplayCard({ request, sessionKey }: ReplayCardProps): React.JSX.Element {
  const models = useRpc("models.list", {});
  return (
    <Card title={t("Ask again")}>
      <p className={styles["hint"]}>
        {t("The same request is sent again, to this model or another. The conversation stays as it is, and no tool runs.")}
      </p>
      <Loaded query={models}>
        {({ models: all }) => <ReplayForm request={request} sessionKey={sessionKey} models={all.filter(({ hasKey }) => hasKey)} />}
      </Loaded>
    </Card>
  );
}

function ReplayForm({ request, sessionKey, models }: ReplayCardProps & { readonly models: readonly ModelSummary[] }): React.JSX.Element {
  const references = [...new Set([request.model, ...models.map(({ reference }) => reference)])];
  const [model, setModel] = useState(request.model);
  const { replay, start } = useReplay(sessionKey, request.id);
  return (
    <>
      <div className={styles["replay"]}>
        <Field
          label={t("Model")}
          hint={priceOf(
            models.find(({ reference }) => reference === model),
            sentTokens(request),
          )}
        >
          {(control) => (
            <select {...control} value={model} onChange={({ target }) => setModel(target.value)}>
              {references.map((reference) => (
                <option key={reference}>{reference}</option>
              ))}
            </select>
          )}
        </Field>
        <Button busy={replay.type === "running"} onClick={() => void start(model)}>
          {t("Send again")}
        </Button>
      </div>
      <div aria-live="polite" aria-busy={replay.type === "running"}>
        {replay.type === "failed" ? (
          <p role="alert">{t("It could not be sent: {reason}", { reason: gatewayText(replay.message) })}</p>
        ) : null}
        {replay.type === "running" ? <AnswerText text={replay.text === "" ? t("Waiting for the model…") : replay.text} /> : null}
        {replay.type === "done" ? <ReplayAnswer result={replay.result} /> : null}
      </div>
    </>
  );
}

/** What a request of this size costs. */
function priceOf(model: ModelSummary | undefined, tokens: number): string {
  const { price } = model ?? {};
  if (price === undefined) return t("No price is known for this model.");
  return t("Reading {tokens} tokens costs about {amount}; the answer costs {price} for a million tokens.", {
    tokens: count(tokens),
    amount: formatExactDollars((tokens * price.input) / 1_000_000),
    price: formatExactDollars(price.output),
  });
}

function ReplayAnswer({ result }: { readonly result: ReplayResult }): React.JSX.Element {
  const { model, exact, text, toolCalls, usage, outcome } = result;
  return (
    <>
      {outcome.type === "failed" ? (
        <p role="alert">{t("It could not be sent: {reason}", { reason: gatewayText(outcome.message) })}</p>
      ) : null}
      {text === "" ? null : <AnswerText text={text} />}
      {toolCalls.map(({ name, argumentsText }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the answer is final
        <p key={index} className={styles["hint"]}>
          {t("It would run the tool {name}.", { name })}
          {sentenceSpace()}
          <code dir="auto">{argumentsText}</code>
        </p>
      ))}
      <p className={styles["hint"]}>
        {[
          model,
          t("{tokens} tokens", { tokens: count(usage.total) }),
          ...(usage.costUsd === undefined ? [] : [formatExactDollars(usage.costUsd)]),
          exact ? t("the same bytes as then") : t("not the same bytes as then"),
        ].join(" · ")}
      </p>
    </>
  );
}

function AnswerText({ text }: { readonly text: string }): React.JSX.Element {
  return (
    <ScrollBox className={styles["text"] ?? ""} label={t("Answer")}>
      <div dir="auto" className={styles["answer"]}>
        {text}
      </div>
    </ScrollBox>
  );
}
