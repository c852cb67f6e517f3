import type { SessionSummary } from "@factotum/protocol";
import { sessionTitle } from "../../app/session-title.ts";
import { subagentName } from "./subagents/describe-subagent.ts";
import { useOpenSubagent } from "./subagents/use-subagents.ts";
import { useAppState } from "../../app/app-context.ts";

/** The open session with its title; without a summary until its first message. */
export function useOpenSession(): { readonly summary: SessionSummary | undefined; readonly title: string } {
  const key = useAppState((state) => state.sessionKey);
  const summary = useAppState((state) => state.sessions.find((session) => session.key === state.sessionKey));
  const mainKey = useAppState((state) => state.agents.find((agent) => agent.mainSessionKey === state.sessionKey)?.mainSessionKey);
  const subagent = useOpenSubagent();
  if (subagent !== undefined) return { summary: undefined, title: typeof subagent === "string" ? "Sub-agent" : subagentName(subagent) };
  return { summary, title: sessionTitle(key, summary, mainKey) };
}
