import type { AgentTool, ToolCall } from "@factotum/agent-contract";
import type { InputRecord, SessionRecord } from "@factotum/store";
import { traitsOf } from "../access/tool-gate.ts";

/** All modes of a conversation. `ask`: as configured. */
export const SESSION_MODES = ["read-only", "ask", "workspace", "full"] as const;

/** A conversation's shorthand for its tool policy. */
export type SessionMode = (typeof SESSION_MODES)[number];

/** The mode that was chosen for a conversation. */
export function modeOf(record: Pick<SessionRecord, "overrides"> | undefined): SessionMode {
  return record?.overrides.mode ?? "ask";
}

/** The session whose mode applies to a run: for a sub-agent that of the session that started its tree, so that it never has more rights. */
export function modeKey(sessionKey: string, inputs: readonly Pick<InputRecord, "admission">[]): string {
  const spawns = inputs.flatMap(({ admission }) => admission.spawn ?? admission.subagent ?? []);
  return spawns[0]?.rootKey ?? sessionKey;
}

/** Why the mode refuses a call, of anybody, for the model; `undefined` if it does not. No mode allows what another rule refuses. */
export function modeRefusal(call: ToolCall, tool: AgentTool, mode: SessionMode): string | undefined {
  if (mode !== "read-only" || traitsOf(call, tool).effect === "read") return undefined;
  return `${tool.name} was refused. Rule mode: this conversation is read-only, so only calls that change nothing run. The owner changes that with /mode.`;
}
