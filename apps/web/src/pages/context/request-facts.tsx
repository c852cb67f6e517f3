import type { ContextReport } from "@factotum/protocol";
import { formatExactDollars, formatMoment, formatPercent, formatSpan } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import { causeWords, count, sentTokens } from "./context-words.ts";
import styles from "./context.module.css";

/** How an answer ended, in words. */
const STOPS: Readonly<Record<string, string>> = {
  stop: msg("complete"),
  toolUse: msg("asked for tools"),
  length: msg("cut at the length limit"),
  aborted: msg("stopped"),
};

/** The model and the cost of a request, and whether the provider read it from its cache. */
export function RequestFacts({ report }: { readonly report: ContextReport }): React.JSX.Element {
  const { cutFiles, exact, resting = [] } = report;
  return (
    <>
      <dl className={styles["facts"]}>
        {factsOf(report).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      {resting.map(({ provider, model, credential, reason, untilMs }) => (
        <p key={`${provider}/${model ?? ""} ${credential}`} className={styles["warning"]}>
          {t("{model} ({credential}) is not asked until {time}: {reason}.", {
            model: model === undefined ? provider : `${provider}/${model}`,
            credential,
            time: formatMoment(untilMs),
            reason: gatewayText(reason),
          })}
        </p>
      ))}
      {cutFiles.map(({ name, limit, keptChars, totalChars }) => (
        <p key={name} className={styles["warning"]}>
          {limit === "file"
            ? t("{name} was cut to {kept} of {total} characters by its own limit.", {
                name,
                kept: count(keptChars),
                total: count(totalChars),
              })
            : t("{name} was cut to {kept} of {total} characters by the limit of all files.", {
                name,
                kept: count(keptChars),
                total: count(totalChars),
              })}
        </p>
      ))}
      {exact ? null : (
        <p className={styles["warning"]}>{t("The stored form of this conversation has changed since; this is what it is now.")}</p>
      )}
    </>
  );
}

/** Names with values. */
function factsOf({ request, prompt }: ContextReport): readonly (readonly [string, string])[] {
  const { usage, outcome, model, credential, thinking, durationMs } = request;
  const sent = sentTokens(request);
  const output = count(usage.output);
  return [
    [t("Model"), credential === undefined ? model : t("{model}, key from {credential}", { model, credential })],
    [t("Sent"), t("{tokens} tokens", { tokens: count(sent) })],
    [
      t("From the provider’s cache"),
      t("{tokens} tokens, {share}", { tokens: count(usage.cacheRead), share: formatPercent(sent === 0 ? 0 : usage.cacheRead / sent) }),
    ],
    [
      t("Answer"),
      outcome.type === "answered"
        ? t("{tokens} tokens in {span}, {reason}", { tokens: output, span: formatSpan(durationMs), reason: stopWords(outcome.stopReason) })
        : t("failed: {reason}", { reason: gatewayText(outcome.message) }),
    ],
    ...(thinking === undefined ? [] : [[t("Thinking"), thinking] as const]),
    [t("Cost"), usage.costUsd === undefined ? t("not known") : formatExactDollars(usage.costUsd)],
    [t("System prompt from"), t("{time}, because {cause}", { time: formatMoment(prompt.renderedAtMs), cause: causeWords(prompt.cause) })],
  ];
}

function stopWords(reason: string): string {
  const words = STOPS[reason];
  return words === undefined ? reason : t(words);
}
