import type { SessionSummary } from "@factotum/protocol";
import { useState } from "react";
import { sessionTitle } from "../app/session-title.ts";
import { useAppState, useController } from "./app-context.ts";
import { Icon } from "./icon.tsx";
import { relativeTime } from "./relative-time.ts";
import { SessionDialog } from "./session-dialog.tsx";

/** A row of the list; sessions that do not exist yet have no summary. */
interface Row {
  readonly key: string;
  readonly summary: SessionSummary | undefined;
}

/** The main session first, then a new chat that has not been used, then the others by their last activity. */
export function orderSessions(
  sessions: readonly SessionSummary[],
  mainKey: string | undefined,
  openKey: string | undefined,
): readonly Row[] {
  const byKey = new Map(sessions.map((summary) => [summary.key, summary]));
  const first = mainKey === undefined ? [] : [mainKey];
  const unused = openKey === undefined || openKey === mainKey || byKey.has(openKey) ? [] : [openKey];
  const others = sessions.map((summary) => summary.key).filter((key) => key !== mainKey);
  return [...first, ...unused, ...others].map((key) => ({ key, summary: byKey.get(key) }));
}

/** Every conversation with the agent, and the way to a new one. */
export function SessionList({ onChosen }: { readonly onChosen: (session: "new" | "known") => void }): React.JSX.Element {
  const controller = useController();
  const sessions = useAppState((state) => state.sessions);
  const agents = useAppState((state) => state.agents);
  const agentId = useAppState((state) => state.agentId);
  const openKey = useAppState((state) => state.sessionKey);
  const hasMore = useAppState((state) => state.sessionsCursor !== undefined);
  const [managed, setManaged] = useState<SessionSummary>();
  const agent = agents.find((each) => each.id === agentId);

  const choose = (key: string): void => {
    controller.openSession(key);
    onChosen("known");
  };
  const startChat = (): void => {
    controller.startChat();
    onChosen("new");
  };
  return (
    <nav className="sessions" aria-label="Conversations">
      {agents.length < 2 ? null : (
        <label className="field compact">
          <span>Agent</span>
          <select value={agentId} onChange={(event) => controller.chooseAgent(event.target.value)}>
            {agents.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" className="button new-chat" onClick={startChat} disabled={agent === undefined}>
        <Icon name="plus" /> New chat
      </button>
      <ul className="session-rows">
        {orderSessions(sessions, agent?.mainSessionKey, openKey).map(({ key, summary }) => (
          <SessionRow
            key={key}
            title={sessionTitle(key, summary, agent?.mainSessionKey)}
            summary={summary}
            current={key === openKey}
            onOpen={() => choose(key)}
            onManage={setManaged}
          />
        ))}
      </ul>
      {hasMore ? (
        <button type="button" className="text-button" onClick={() => void controller.loadMoreSessions()}>
          Show more
        </button>
      ) : null}
      {managed === undefined ? null : (
        <SessionDialog
          session={managed}
          title={sessionTitle(managed.key, managed, agent?.mainSessionKey)}
          onClose={() => setManaged(undefined)}
        />
      )}
    </nav>
  );
}

interface SessionRowProps {
  readonly title: string;
  readonly summary: SessionSummary | undefined;
  readonly current: boolean;
  readonly onOpen: () => void;
  readonly onManage: (session: SessionSummary) => void;
}

function SessionRow({ title, summary, current, onOpen, onManage }: SessionRowProps): React.JSX.Element {
  return (
    <li className={current ? "session-row current" : "session-row"}>
      <button type="button" className="session-open" aria-current={current ? "page" : undefined} onClick={onOpen}>
        <span className="session-title">{title}</span>
        <span className="session-detail">{detailOf(summary)}</span>
      </button>
      {summary === undefined ? null : (
        <button
          type="button"
          className="icon-button"
          aria-label={`Manage ${title}`}
          aria-haspopup="dialog"
          onClick={() => onManage(summary)}
        >
          <Icon name="more" />
        </button>
      )}
    </li>
  );
}

function detailOf(summary: SessionSummary | undefined): string {
  if (summary === undefined) return "Nothing said yet";
  if (summary.running) return "Working…";
  const when = relativeTime(summary.activeAtMs, Date.now());
  return summary.channel === undefined || summary.channel === "webchat" ? when : `${summary.channel} · ${when}`;
}
