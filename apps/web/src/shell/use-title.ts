import { useEffect, useState } from "react";
import { useAppState, useSession } from "../app/app-context.ts";
import { endedRuns } from "../app/ended-runs.ts";
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
  const { store } = useSession();
  const [ready, setReady] = useState(0);
  useEffect(() => {
    let before = store.get();
    return store.subscribe(() => {
      const after = store.get();
      const ended = endedRuns(before, after).length;
      before = after;
      if (document.hidden && ended > 0) setReady((count) => count + ended);
    });
  }, [store]);
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) setReady(0);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return ready;
}
