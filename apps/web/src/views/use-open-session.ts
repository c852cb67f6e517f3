import type { SessionSummary } from "@factotum/protocol";
import { sessionTitle } from "../app/app-controller.ts";
import { useAppState } from "./app-context.ts";

/** The open session with its title; without a summary as long as nothing was said in it. */
export function useOpenSession(): { readonly summary: SessionSummary | undefined; readonly title: string } {
  const summary = useAppState((state) => state.sessions.find((session) => session.key === state.sessionKey));
  const isMain = useAppState((state) => state.agents.some((agent) => agent.mainSessionKey === state.sessionKey));
  return { summary, title: summary === undefined && isMain ? "Main" : sessionTitle(summary) };
}
