import type { SessionSummary } from "@factotum/protocol";
import { lazy, Suspense, useEffect, useState } from "react";
import { mainKeyOf } from "../../app/app-state.ts";
import { isSubagentKey } from "../../app/session-key.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { useAppState, useController } from "../../app/app-context.ts";
import { Icon } from "../../ui/icon.tsx";
import { relativeTime } from "../../ui/relative-time.ts";
import { useRovingFocus } from "../../ui/use-roving-focus.ts";
import { SessionDialog } from "./session-dialog.tsx";
import { t } from "../../i18n/t.ts";
import { groupSessions, type SessionGroup } from "./session-groups.ts";

/** A row of the list; sessions that do not exist yet have no summary. */
interface Row {
  readonly key: string;
  readonly summary: SessionSummary | undefined;
}

/** The main session first, then an unused new chat, then the others by their last activity. */
export function orderSessions(
  sessions: readonly SessionSummary[],
  mainKey: string | undefined,
  openKey: string | undefined,
): readonly Row[] {
  const byKey = new Map(sessions.map((summary) => [summary.key, summary]));
  const first = mainKey === undefined ? [] : [mainKey];
  const unused = openKey === undefined || openKey === mainKey || byKey.has(openKey) || isSubagentKey(openKey) ? [] : [openKey];
  const others = sessions.map((summary) => summary.key).filter((key) => key !== mainKey);
  return [...first, ...unused, ...others].map((key) => ({ key, summary: byKey.get(key) }));
}

/** Conversations of the agent, and a button for a new one. */
export function SessionList({ onChosen }: { readonly onChosen: (session: "new" | "known") => void }): React.JSX.Element {
  const controller = useController();
  const agents = useAppState((state) => state.agents);
  const agentId = useAppState((state) => state.agentId);
  const hasAgent = agents.some((each) => each.id === agentId);
  const startChat = (): void => {
    controller.startChat();
    onChosen("new");
  };
  return (
    <nav className="sessions" aria-label={t("Conversations")}>
      {agents.length < 2 ? null : (
        <label className="field compact">
          <span>{t("Agent")}</span>
          <select value={agentId} onChange={(event) => controller.chooseAgent(event.target.value)}>
            {agents.map((each) => (
              <option key={each.id} value={each.id}>
                {each.emoji === undefined ? each.name : `${each.emoji} ${each.name}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" className="button new-chat" onClick={startChat} disabled={!hasAgent}>
        <Icon name="plus" /> {t("New chat")}
      </button>
      <SessionRows onChosen={() => onChosen("known")} />
    </nav>
  );
}

/** Found messages are loaded with the first search. */
const MessageHits = lazy(async () => ({ default: (await import("./message-hits.tsx")).MessageHits }));

function SessionRows({ onChosen }: { readonly onChosen: () => void }): React.JSX.Element {
  const controller = useController();
  const sessions = useAppState((state) => state.sessions);
  const deletingKey = useAppState((state) => state.deleting?.key);
  const mainKey = useAppState(mainKeyOf);
  const openKey = useAppState((state) => state.sessionKey);
  const hasMore = useAppState((state) => state.sessionsCursor !== undefined);
  const [managed, setManaged] = useState<SessionSummary>();
  const [query, setQuery] = useState("");
  const [showsArchived, setShowsArchived] = useState(false);
  const isSearching = query.trim() !== "";
  useEffect(() => {
    // Matches may be further down.
    if (isSearching && hasMore) void controller.loadMoreSessions();
  }, [isSearching, hasMore, sessions, controller]);

  const shown = orderSessions(sessions, mainKey, openKey)
    .filter(({ key }) => key !== deletingKey)
    .map((row) => ({ ...row, title: sessionTitle(row.key, row.summary, mainKey) }))
    .filter(({ title }) => title.toLowerCase().includes(query.trim().toLowerCase()))
    .filter(({ key, summary }) => isSearching || showsArchived || summary?.archived !== true || key === openKey);
  const groups = groupsOf(shown, mainKey);
  const roving = useRovingFocus(
    shown.map(({ key }) => key),
    openKey,
  );
  return (
    <>
      <SearchField query={query} onChange={setQuery} />
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the buttons inside take the keys; they come up to here */}
      <div className="session-rows" onKeyDown={roving.onKeyDown} onFocus={roving.onFocus}>
        {groups.map(({ name, rows }) => (
          <section key={name ?? ""} aria-label={name ?? t("First")}>
            {name === undefined ? null : (
              <p className="session-group" aria-hidden="true">
                {name}
              </p>
            )}
            <ul>
              {rows.map(({ key, title, summary }) => (
                <SessionRow
                  key={key}
                  sessionKey={key}
                  title={title}
                  summary={summary}
                  current={key === openKey}
                  tabIndex={roving.tabIndexOf(key)}
                  onOpen={() => {
                    controller.openSession(key);
                    onChosen();
                  }}
                  onManage={setManaged}
                />
              ))}
            </ul>
          </section>
        ))}
        {shown.length === 0 ? <p className="session-detail">{t("No conversation is called that.")}</p> : null}
        {isSearching ? (
          <Suspense fallback={null}>
            <MessageHits query={query.trim()} onOpened={onChosen} />
          </Suspense>
        ) : null}
      </div>
      {isSearching || !sessions.some(({ archived }) => archived === true) ? null : (
        <button type="button" className="text-button" aria-pressed={showsArchived} onClick={() => setShowsArchived(!showsArchived)}>
          {showsArchived ? t("Hide archived") : t("Show archived")}
        </button>
      )}
      {hasMore && !isSearching ? (
        <button type="button" className="text-button" onClick={() => void controller.loadMoreSessions()}>
          {t("Show more")}
        </button>
      ) : null}
      {managed === undefined ? null : (
        <SessionDialog session={managed} title={sessionTitle(managed.key, managed, mainKey)} onClose={() => setManaged(undefined)} />
      )}
    </>
  );
}

function SearchField({ query, onChange }: { readonly query: string; readonly onChange: (query: string) => void }): React.JSX.Element {
  return (
    <label className="field compact">
      <span className="sr-only">{t("Search conversations")}</span>
      <input type="search" placeholder={t("Search")} value={query} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

interface TitledRow extends Row {
  readonly title: string;
}

function groupsOf(rows: readonly TitledRow[], mainKey: string | undefined): readonly SessionGroup<TitledRow>[] {
  return groupSessions(rows, { mainKey, nowMs: Date.now() });
}

interface SessionRowProps {
  readonly sessionKey: string;
  readonly title: string;
  readonly summary: SessionSummary | undefined;
  readonly current: boolean;
  readonly tabIndex: 0 | -1;
  readonly onOpen: () => void;
  readonly onManage: (session: SessionSummary) => void;
}

function SessionRow({ sessionKey, title, summary, current, tabIndex, onOpen, onManage }: SessionRowProps): React.JSX.Element {
  const isConnected = useAppState((state) => state.connection.type === "connected");
  return (
    <li className={current ? "session-row current" : "session-row"}>
      <button
        type="button"
        className="session-open"
        data-row={sessionKey}
        data-part="open"
        tabIndex={tabIndex}
        aria-current={current ? "page" : undefined}
        title={title}
        onClick={onOpen}
      >
        <span className="session-title" dir="auto">
          {title}
        </span>
        <span className="session-detail">{detailOf(summary, isConnected)}</span>
      </button>
      {summary === undefined ? null : (
        <button
          type="button"
          className="icon-button"
          data-row={sessionKey}
          data-part="manage"
          tabIndex={-1}
          aria-label={t("Manage {title}", { title })}
          aria-haspopup="dialog"
          onClick={() => onManage(summary)}
        >
          <Icon name="more" />
        </button>
      )}
    </li>
  );
}

function detailOf(summary: SessionSummary | undefined, isConnected: boolean): string {
  if (summary === undefined) return t("Nothing said yet");
  // Without a connection the page does not know whether it still works.
  if (summary.running) return isConnected ? t("Working…") : t("Was working");
  const when = summary.archived === true ? t("Archived") : relativeTime(summary.activeAtMs, Date.now());
  return summary.channel === undefined || summary.channel === "webchat" ? when : `${summary.channel} · ${when}`;
}
