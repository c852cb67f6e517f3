import type { MessageTrace } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { formatSpan } from "../../app/locale.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import type { TracedWay, TraceStep } from "./trace-steps.ts";
import { stepDetails, stepState, stepTitle } from "./trace-texts.ts";
import styles from "./trace.module.css";

interface StepRowProps {
  readonly step: TraceStep;
  readonly trace: MessageTrace;
  readonly way: TracedWay;
}

/** A step: when it began after the first, what it was, and how long it took, as a number and on the line of the whole way. */
export function StepRow({ step, trace, way: { startMs, endMs } }: StepRowProps): React.JSX.Element {
  const { atMs, untilMs, type } = step;
  const state = stepState(step, trace);
  const details = stepDetails(step, trace);
  const shown = textOf(step);
  return (
    <li className={styles["step"]}>
      <span className={styles["at"]}>
        <span className="sr-only">{t("after")} </span>
        {`+${formatSpan(atMs - startMs)}`}
      </span>
      <div className={styles["what"]}>
        <span className={styles["title"]}>
          <span dir="auto">{stepTitle(step)}</span>
          {state === undefined ? null : <Badge tone={state[0]}>{state[1]}</Badge>}
        </span>
        {details.map((detail) => (
          <small key={detail} dir="auto">
            {detail}
          </small>
        ))}
        {shown === undefined ? null : (
          <small className={styles["text"]} dir="auto">
            {shown}
          </small>
        )}
        {type === "request" ? (
          <Link to="/context/$sessionKey" params={{ sessionKey: trace.sessionKey }} search={{ request: step.request.id }}>
            {t("What it was given")}
          </Link>
        ) : null}
      </div>
      <StepBar start={atMs - startMs} length={(untilMs ?? atMs) - atMs} whole={endMs - startMs} className={styles[type]} />
      <span className={styles["span"]}>{untilMs === undefined ? "" : formatSpan(untilMs - atMs)}</span>
    </li>
  );
}

/** What was sent; what was asked is above. */
function textOf(step: TraceStep): string | undefined {
  return step.type === "send" && step.send.text !== "" ? step.send.text : undefined;
}

interface StepBarProps {
  readonly start: number;
  readonly length: number;
  readonly whole: number;
  readonly className: string | undefined;
}

/** Where a step lies on the line of the whole way. Screen readers have the numbers. */
function StepBar({ start, length, whole, className }: StepBarProps): React.JSX.Element {
  const scale = 100 / Math.max(whole, 1);
  const width = Math.max(length * scale, 0.6);
  return (
    <svg className={styles["bar"]} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect className={styles["track"]} y="3.5" width="100" height="1" />
      <rect className={className} x={Math.min(start * scale, 100 - width)} width={width} height="8" />
    </svg>
  );
}
