import { Link } from "@tanstack/react-router";
import { useAppState } from "../../app/app-context.ts";
import { mainKeyOf } from "../../app/app-state.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { LiveBadge } from "../../data/live-badge.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { relativeTime } from "../../ui/relative-time.ts";
import styles from "./overview.module.css";

/** The conversations, jobs and sub-agents that work now. */
export function RunningCard(): React.JSX.Element {
  const sessions = useRpc("sessions.list", { limit: 50 });
  const agents = useAppState((state) => state.agents);
  return (
    <Card title={t("Running now")}>
      <Loaded query={sessions}>
        {({ sessions: all }) => {
          const running = all.filter((session) => session.running);
          if (running.length === 0) return <EmptyState>{t("Nothing runs at the moment.")}</EmptyState>;
          return (
            <ul className={styles["rows"]}>
              {running.map((session) => (
                <li key={session.key}>
                  <Link to="/chat/{-$sessionKey}" params={{ sessionKey: session.key }} dir="auto">
                    {sessionTitle(session.key, session, mainKeyOf({ agents }, session.agentId))}
                  </Link>
                  <LiveBadge tone="good">{t("Working")}</LiveBadge>
                  <small>
                    {session.agentId} · {relativeTime(session.activeAtMs, Date.now())}
                  </small>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
