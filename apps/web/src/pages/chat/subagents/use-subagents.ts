import type { ChatSubagent } from "@factotum/protocol";
import { isSubagentKey } from "../../../app/session-key.ts";
import { useAppState } from "../../../app/app-context.ts";

const NONE: readonly ChatSubagent[] = [];

/** The sub-agents around the open session, oldest first. */
export function useSubagents(): readonly ChatSubagent[] {
  return useAppState((state) => (state.open.type === "open" ? (state.open.chat.subagents ?? NONE) : NONE));
}

/** The sub-agent whose session is open. `gone`: the session is a sub-agent's and no longer kept. `loading`: it is one's, and not loaded yet. */
export function useOpenSubagent(): ChatSubagent | "gone" | "loading" | undefined {
  return useAppState(({ sessionKey, open }) => {
    if (sessionKey === undefined || !isSubagentKey(sessionKey)) return undefined;
    if (open.type !== "open") return "loading";
    return open.chat.subagents?.find((one) => one.sessionKey === open.chat.sessionKey) ?? "gone";
  });
}
