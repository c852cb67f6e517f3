import { useEffect, useRef, useState } from "react";
import { useAppState } from "../app/app-context.ts";
import { waitingCount } from "../app/waiting-count.ts";

/** Titles the page after what it shows, with the number of items in the inbox and of answers since the page was hidden. */
export function useTitle(title: string): void {
  const news = useReadyCount() + useAppState(waitingCount);
  useEffect(() => {
    document.title = `${news === 0 ? "" : `(${news}) `}${title} · Factotum`;
  }, [title, news]);
}

/** Number of runs that have ended in any conversation since the page was hidden; zero while it is visible. */
function useReadyCount(): number {
  const running = useAppState((state) =>
    state.sessions
      .filter((session) => session.running)
      .map(({ key }) => key)
      .join("\n"),
  );
  const openKey = useAppState((state) => state.sessionKey);
  const isLive = useAppState((state) => state.open.type === "open" && state.open.chat.live !== undefined);
  const [ready, setReady] = useState(0);
  const before = useRef({ running, openKey, isLive });
  useEffect(() => {
    const { running: earlier, openKey: earlierKey, isLive: wasLive } = before.current;
    before.current = { running, openKey, isLive };
    if (!document.hidden) return;
    const now = new Set(running.split("\n"));
    // The open conversation reports by itself, earlier than the list.
    const others = earlier.split("\n").filter((key) => key !== "" && key !== openKey && !now.has(key)).length;
    const own = earlierKey === openKey && wasLive && !isLive ? 1 : 0;
    if (others + own > 0) setReady((count) => count + others + own);
  }, [running, openKey, isLive]);
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) setReady(0);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return ready;
}
