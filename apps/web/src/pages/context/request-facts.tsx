import { formatMoment } from "../../app/locale.ts";
import type { ContextReport } from "@factotum/protocol";
import { count, dollars, sentTokens } from "./context-words.ts";

/** The model and the cost of a request, and whether the provider read it from its cache. */
export function RequestFacts({ report }: { readonly report: ContextReport }): React.JSX.Element {
  const { request, contextWindow, prompt, cutFiles, exact, resting = [] } = report;
  const { usage, outcome } = request;
  const facts: readonly (readonly [string, string])[] = [
    ["Model", request.credential === undefined ? request.model : `${request.model}, key from ${request.credential}`],
    ["Answer", outcome.type === "answered" ? `${outcome.stopReason}, after ${count(request.durationMs)} ms` : `failed: ${outcome.message}`],
    ["Sent", `${count(sentTokens(request))} tokens${contextWindow === undefined ? "" : ` of ${count(contextWindow)}`}`],
    ["Read from the cache", `${count(usage.cacheRead)} tokens`],
    ["Written to the cache", `${count(usage.cacheWrite)} tokens, kept ${request.cacheRetention}`],
    ["Answered", `${count(usage.output)} tokens${request.thinking === undefined ? "" : `, thinking ${request.thinking}`}`],
    ["Cost", usage.costUsd === undefined ? "not known" : dollars(usage.costUsd)],
    ["System prompt rendered", `${formatMoment(prompt.renderedAtMs)} (${prompt.cause})`],
  ];
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
          {provider}
          {model === undefined ? "" : `/${model}`} ({credential}) is not asked until {formatMoment(untilMs)}: {reason}.
        </p>
      ))}
      {cutFiles.map(({ name, limit, keptChars, totalChars }) => (
        <p key={name} className="context-note warning">
          {name} was cut to {count(keptChars)} of {count(totalChars)} characters by{" "}
          {limit === "file" ? "its own limit" : "the limit of all files"}.
        </p>
      ))}
      {exact ? null : (
        <p className="context-note warning">The stored form of this conversation has changed since; this is what it is now.</p>
      )}
    </>
  );
}
