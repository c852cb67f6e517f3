import type { MessageTrace } from "@factotum/protocol";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { SessionLink } from "../../shell/session-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Moment } from "../../ui/moment.tsx";
import { StackedBar } from "../../ui/stacked-bar.tsx";
import { StepRow } from "./step-row.tsx";
import { isUnderway, toTracedWay } from "./trace-steps.ts";
import { stepState, summaryOf, timeParts } from "./trace-texts.ts";
import styles from "./trace.module.css";

/** Milliseconds between requests while a message is on its way: no event announces its steps. */
const RUNNING_MS = 2000;

/** One message from its event to the receipts of its answer: what happened, and where the time went. */
export function TracePage(): React.JSX.Element {
  const { id } = useParams({ from: "/data/trace/$id" });
  const { by } = useSearch({ from: "/data/trace/$id" });
  const trace = useRpc("messages.trace", by === "entry" ? { entryId: id } : { turn: id }, {
    everyMs: (newest) => (isUnderway(newest) ? RUNNING_MS : undefined),
  });
  return (
    <PageFrame title={t("Trace")}>
      <div className="page-scroll">
        <div className={`page-content ${styles["content"]}`}>
          <Loaded query={trace}>{(found) => <TraceView trace={found} />}</Loaded>
        </div>
      </div>
    </PageFrame>
  );
}

function TraceView({ trace }: { readonly trace: MessageTrace }): React.JSX.Element {
  const way = useMemo(() => toTracedWay(trace), [trace]);
  const { sessionKey, inputs, requests, startedAtMs } = trace;
  const state = stepState({ key: "end", type: "end", atMs: startedAtMs }, trace);
  const newest = requests.at(-1);
  return (
    <>
      <Card title={t("Summary")} actions={state === undefined ? null : <Badge tone={state[0]}>{state[1]}</Badge>}>
        {inputs.map(({ id, text }) => (
          <blockquote key={id} className={styles["said"]} dir="auto">
            {text}
          </blockquote>
        ))}
        <p>{summaryOf(way, trace)}</p>
        <StackedBar label={t("Where the time went")} parts={timeParts(way)} />
        <div className="fact-line">
          <Moment atMs={way.startMs} />
          <SessionLink sessionKey={sessionKey} />
          {newest === undefined ? null : (
            <Link to="/context/$sessionKey" params={{ sessionKey }} search={{ request: newest.id }}>
              {t("What the model was given")}
            </Link>
          )}
          <Link to="/logs" search={{ text: trace.turnId }}>
            {t("Lines of the log")}
          </Link>
          <CopyButton text={() => JSON.stringify(trace, undefined, 2)} what={t("trace")} />
        </div>
      </Card>
      <Card title={t("Step by step")}>
        <ol className={styles["steps"]}>
          {way.steps.map((step) => (
            <StepRow key={step.key} step={step} trace={trace} way={way} />
          ))}
        </ol>
      </Card>
    </>
  );
}
