import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { t } from "../../i18n/t.ts";
import { PageFrame } from "../../shell/page-frame.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useRovingFocus } from "../../ui/use-roving-focus.ts";
import { LogControls } from "./log-controls.tsx";
import { type LogLine, MAX_LINES } from "./log-lines.ts";
import { LogRow } from "./log-row.tsx";
import { type LogSearch, parseLogSearch } from "./log-search.ts";
import { useLiveLog } from "./use-live-log.ts";
import styles from "./logs.module.css";

/** The log as it grows, newest first. The address holds the filter. */
export function LogsPage(): React.JSX.Element {
  const search = useSearch({ from: "/data/logs" });
  const navigate = useNavigate();
  const [isPaused, setPaused] = useState(false);
  const { lines, isLoaded, problem } = useLiveLog(search, isPaused);
  const isConnected = useAppState((state) => state.connection.type === "connected");
  const sources = useMemo(
    () => [...new Set(lines.flatMap((line) => (line.type === "line" ? [line.entry.source] : [])))].toSorted(),
    [lines],
  );
  const change = useCallback(
    (next: LogSearch) => void navigate({ to: "/logs", search: parseLogSearch({ ...next }), replace: true }),
    [navigate],
  );
  return (
    <PageFrame title={t("Logs")}>
      <div className="page-scroll">
        <div className={`page-content ${styles["content"]}`}>
          <LogControls search={search} sources={sources} onChange={change} />
          <div className={styles["state"]}>
            <output>
              {isConnected ? (isPaused ? t("Paused: new lines come when you continue.") : t("New lines appear at the top.")) : null}
            </output>
            <Button variant="text" onClick={() => setPaused(!isPaused)}>
              {isPaused ? t("Continue") : t("Pause")}
            </Button>
          </div>
          {problem === undefined ? null : (
            <p className="chat-note" role="alert">
              {t("This could not be shown: {reason}", { reason: problem })}
            </p>
          )}
          {!isLoaded && problem === undefined ? (
            <p className="chat-note">{isConnected ? t("Loading…") : t("Waiting for the gateway…")}</p>
          ) : null}
          {isLoaded && lines.length === 0 ? <NothingFound search={search} onAll={() => change({})} /> : null}
          <LineList lines={lines} />
          {lines.length < MAX_LINES ? null : (
            <p className={styles["state"]}>
              {t("These are the newest {count} lines. The filter finds older ones in the log file.", { count: MAX_LINES })}
            </p>
          )}
        </div>
      </div>
    </PageFrame>
  );
}

function LineList({ lines }: { readonly lines: readonly LogLine[] }): React.JSX.Element | null {
  const keys = useMemo(() => lines.flatMap(({ type, key }) => (type === "line" ? [key] : [])), [lines]);
  const { tabIndexOf, onKeyDown, onFocus } = useRovingFocus(keys, undefined);
  if (lines.length === 0) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the buttons in it have the focus
    <ul className={styles["lines"]} aria-label={t("Lines of the log")} onKeyDown={onKeyDown} onFocus={onFocus}>
      {lines.map((line) =>
        line.type === "gap" ? (
          <li key={line.key} className={styles["gap"]}>
            {t("Lines in between are not shown here: there were too many at once.")}
          </li>
        ) : (
          <LogRow key={line.key} id={line.key} entry={line.entry} tabIndex={tabIndexOf(line.key)} />
        ),
      )}
    </ul>
  );
}

function NothingFound({ search, onAll }: { readonly search: LogSearch; readonly onAll: () => void }): React.JSX.Element {
  if (Object.values(search).every((value) => value === undefined))
    return <EmptyState>{t("The gateway writes here what it does and what goes wrong.")}</EmptyState>;
  return <EmptyState action={<Button onClick={onAll}>{t("Show all lines")}</Button>}>{t("No line fits the filter.")}</EmptyState>;
}
