import type { AppState } from "./app-state.ts";

/** What is compared of two states. */
type RunningState = Pick<AppState, "sessions" | "sessionKey" | "open">;

/** The conversations in which a run has ended between two states. The open one reports by itself, earlier than the list does. */
export function endedRuns(before: RunningState, after: RunningState): readonly string[] {
  const running = new Set(after.sessions.filter((session) => session.running).map(({ key }) => key));
  const known = new Set(after.sessions.map(({ key }) => key));
  const others = before.sessions
    .filter(({ key, running: wasRunning }) => wasRunning && key !== after.sessionKey && known.has(key) && !running.has(key))
    .map(({ key }) => key);
  const isOwn = before.sessionKey === after.sessionKey && isLive(before) && after.open.type === "open" && !isLive(after);
  return isOwn && after.sessionKey !== undefined ? [after.sessionKey, ...others] : others;
}

function isLive({ open }: RunningState): boolean {
  return open.type === "open" && open.chat.live !== undefined;
}
