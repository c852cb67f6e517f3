import type { ContextReport } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { t } from "../../i18n/t.ts";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Moment } from "../../ui/moment.tsx";
import { StackedBar } from "../../ui/stacked-bar.tsx";
import { ChangeCard } from "./change-card.tsx";
import { askedTitle, count, partTitle } from "./context-words.ts";
import styles from "./context.module.css";
import { PartView } from "./part-view.tsx";
import { ReplayCard } from "./replay-card.tsx";
import { RequestFacts } from "./request-facts.tsx";

/** One request: what was asked, how full the window was, what changed, its cost, its parts, and a way to send it again. */
export function ReportView({ report }: { readonly report: ContextReport }): React.JSX.Element {
  const { request, parts, diff } = report;
  const isPerson = request.kind === "user";
  return (
    <article className={styles["report"]} aria-label={askedTitle(request)}>
      <header className={styles["question"]}>
        <p className={styles["hint"]}>{isPerson ? t("You asked:") : t("Asked by:")}</p>
        <h2 dir="auto">{isPerson ? (bodyOf(report) ?? askedTitle(request)) : askedTitle(request)}</h2>
        <div className="fact-line">
          <Moment atMs={request.sentAtMs} />
          {request.request === 1 ? null : <span>{t("Step {number}: after the results of tools", { number: request.request })}</span>}
          <Link to="/trace/$id" params={{ id: request.turnId }}>
            {t("Trace")}
          </Link>
          <CopyButton label={t("Copy as JSON")} text={() => JSON.stringify(report, undefined, 2)} what={t("report")} />
        </div>
      </header>
      <Card title={t("The context window")}>
        <WindowBar report={report} />
        <RequestFacts report={report} />
      </Card>
      {diff === undefined ? null : <ChangeCard report={report} />}
      <Card title={t("Everything that was sent")}>
        {parts.map((part) => (
          <PartView key={part.type} part={part} />
        ))}
      </Card>
      <ReplayCard request={request} sessionKey={report.sessionKey} />
    </article>
  );
}

function WindowBar({ report: { parts, total, contextWindow } }: { readonly report: ContextReport }): React.JSX.Element {
  const free = contextWindow === undefined ? undefined : Math.max(0, contextWindow - total.tokens);
  return (
    <>
      <StackedBar
        label={t("The context window by part")}
        total={contextWindow}
        parts={parts.map(({ type, tokens }) => ({ id: type, label: partTitle(type), value: tokens, text: count(tokens) }))}
      />
      <p className={styles["hint"]}>
        {free === undefined
          ? t("About {tokens} tokens, estimated.", { tokens: count(total.tokens) })
          : t("About {tokens} of {limit} tokens, estimated; {free} are free.", {
              tokens: count(total.tokens),
              limit: count(contextWindow ?? 0),
              free: count(free),
            })}
      </p>
    </>
  );
}

/** The message as the model got it, without what the gateway put around it. */
function bodyOf({ parts }: ContextReport): string | undefined {
  const text = parts
    .find(({ type }) => type === "prompt")
    ?.sections.filter(({ id }) => id.startsWith("body"))
    .map(({ text: body = "" }) => body.trim())
    .join("\n");
  return text === "" ? undefined : text;
}
