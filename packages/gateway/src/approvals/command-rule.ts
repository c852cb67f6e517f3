import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolsConfig } from "@factotum/config";
import type { SessionMode } from "../conversation/session-mode.ts";
import { runsInSandbox, traitsOf } from "../access/tool-gate.ts";

/** Whatever `tools.exec.mode` and the mode of the conversation say: the settings decide what everything else may do. */
export const CONFIG_RULE = "Rule config: the owner decides on each change of the settings.";

/** True for a call that changes or restarts the gateway itself. */
export function isConfigCall(call: ToolCall, tool: AgentTool): boolean {
  return traitsOf(call, tool).effect === "config";
}

/**
 * True for a call that runs commands on the host where `tools.exec.mode` lets the owner decide on them, on all or on those that no pattern covers. The mode `full`
 * of the conversation (`session`) takes that decision in advance, for the owner alone.
 */
export function isDecidedCommand(
  call: ToolCall,
  tool: AgentTool,
  facts: Pick<RunFacts, "owner" | "sandbox">,
  { exec, session }: { readonly exec: Pick<ToolsConfig["exec"], "mode">; readonly session: SessionMode },
): boolean {
  const isAllowed = exec.mode === "full" || (session === "full" && facts.owner);
  return traitsOf(call, tool).effect === "execute" && !isAllowed && !runsInSandbox(call, tool, facts);
}
