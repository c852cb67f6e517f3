import { formatMoment } from "../../app/locale.ts";
import type { ContextReport } from "@factotum/protocol";
import { count, dollars, sentTokens } from "./context-words.ts";
import { t } from "../../i18n/t.ts";

/** The model and the cost of a request, and whether the provider read it from its cache. */
export function RequestFacts({ report }: { readonly report: ContextReport }): React.JSX.Element {
  const { cutFiles, exact, resting = [] } = report;
  const facts = factsOf(report);
  return (
    <>
      <dl className="request-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {resting.map(({ provider, model, credential, reason, untilMs }) => (
        <p key={`${provider}/${model ?? ""} ${credential}`} className="context-note warning">
          {t("{model} ({credential}) is not asked until {time}: {reason}.", {
            model: model === undefined ? provider : `${provider}/${model}`,
            credential,
            time: formatMoment(untilMs),
            reason,
          })}
        </p>
      ))}
      {cutFiles.map(({ name, limit, keptChars, totalChars }) => (
        <p key={name} className="context-note warning">
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
        <p className="context-note warning">{t("The stored form of this conversation has changed since; this is what it is now.")}</p>
      )}
    </>
  );
}

/** Names with values. */
function factsOf({ request, contextWindow, prompt }: ContextReport): readonly (readonly [string, string])[] {
  const { usage, outcome, model, credential, thinking } = request;
  const tokens = count(sentTokens(request));
  const output = count(usage.output);
  return [
    [t("Model"), credential === undefined ? model : t("{model}, key from {credential}", { model, credential })],
    [
      t("Answer"),
      outcome.type === "answered"
        ? t("{reason}, after {time} ms", { reason: outcome.stopReason, time: count(request.durationMs) })
        : t("failed: {reason}", { reason: outcome.message }),
    ],
    [
      t("Sent"),
      contextWindow === undefined
        ? t("{tokens} tokens", { tokens })
        : t("{tokens} tokens of {limit}", { tokens, limit: count(contextWindow) }),
    ],
    [t("Read from the cache"), t("{tokens} tokens", { tokens: count(usage.cacheRead) })],
    [t("Written to the cache"), t("{tokens} tokens, kept {time}", { tokens: count(usage.cacheWrite), time: request.cacheRetention })],
    [
      t("Answered"),
      thinking === undefined
        ? t("{tokens} tokens", { tokens: output })
        : t("{tokens} tokens, thinking {level}", { tokens: output, level: thinking }),
    ],
    [t("Cost"), usage.costUsd === undefined ? t("not known") : dollars(usage.costUsd)],
    [t("System prompt rendered"), `${formatMoment(prompt.renderedAtMs)} (${prompt.cause})`],
  ];
}
