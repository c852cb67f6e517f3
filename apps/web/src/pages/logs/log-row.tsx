import type { LogEntry, LogLevelId } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { memo, useId, useState } from "react";
import { formatExact } from "../../app/locale.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import { SessionLink } from "../../shell/session-link.tsx";
import { TraceLink } from "../../shell/trace-link.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Icon } from "../../ui/icon.tsx";
import styles from "./logs.module.css";

const LEVELS: Readonly<Record<LogLevelId, readonly [tone: Tone, words: string]>> = {
  debug: ["neutral", msg("Detail")],
  info: ["neutral", msg("Info")],
  warn: ["warning", msg("Warning")],
  error: ["bad", msg("Error")],
};

interface LogRowProps {
  readonly id: string;
  readonly entry: LogEntry;
  /** Of the button: the list is one tab stop. */
  readonly tabIndex: 0 | -1;
}

/** A line: when, how grave, about what, and what happened. Opened, it has its other facts, and the ways to what it is about. */
export const LogRow: React.NamedExoticComponent<LogRowProps> = memo(function LogRow({ id, entry, tabIndex }: LogRowProps) {
  const [isOpen, setOpen] = useState(false);
  const body = useId();
  const { time, level, source, message } = entry;
  const [tone, words] = LEVELS[level];
  return (
    <li className={styles["row"]}>
      <button
        type="button"
        className={styles["line"]}
        data-row={id}
        tabIndex={tabIndex}
        aria-expanded={isOpen}
        aria-controls={isOpen ? body : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="chevron" />
        {time === undefined ? <span /> : <time dateTime={time}>{formatExact(Date.parse(time))}</time>}
        <Badge tone={tone}>{t(words)}</Badge>
        <bdi className={styles["source"]}>{source}</bdi>
        <span className={styles["message"]} dir="auto">
          {gatewayText(message)}
        </span>
      </button>
      {isOpen ? (
        <div className={styles["body"]} id={body}>
          <Fields entry={entry} />
        </div>
      ) : null}
    </li>
  );
});

/** Fields that hold sentences; the others hold names and numbers. */
const SENTENCES: ReadonlySet<string> = new Set(["reason", "detail", "error"]);

function Fields({ entry }: { readonly entry: LogEntry }): React.JSX.Element {
  const valueOf = (wanted: string): string | undefined => entry.fields.find(({ name }) => name === wanted)?.value;
  const sessionKey = valueOf("sessionKey");
  const turnId = valueOf("turnId");
  return (
    <>
      {entry.fields.length === 0 ? <p>{t("The line says nothing more.")}</p> : null}
      <dl>
        {entry.fields.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd dir="auto">{SENTENCES.has(name) ? gatewayText(value) : value}</dd>
          </div>
        ))}
      </dl>
      <div className="fact-line">
        <TraceLink turnId={turnId} />
        {sessionKey === undefined ? null : (
          <>
            <SessionLink sessionKey={sessionKey} />
            <Link to="/context/$sessionKey" params={{ sessionKey }}>
              {t("What the model was given")}
            </Link>
          </>
        )}
        <CopyButton text={() => JSON.stringify(entry, undefined, 2)} what={t("line")} />
      </div>
    </>
  );
}
