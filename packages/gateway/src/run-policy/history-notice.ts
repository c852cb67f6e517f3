import type { UserMessageParts } from "@factotum/agent-contract";
import { RUN_POLICY } from "./run-policy.ts";

/** What readers of a conversation see instead of a text that the gateway wrote for the model. The words of another session are shown. */
export function historyNotice(parts: UserMessageParts | undefined): string | undefined {
  if (parts?.run === "a2a" && parts.bodyType !== "task") return undefined;
  return RUN_POLICY[parts?.run ?? "user"].historyNotice;
}
