import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolsConfig } from "@factotum/config";
import { runsInSandbox, traitsOf } from "../access/tool-gate.ts";

/** True for a call that runs commands on the host where `tools.exec.mode` lets the owner decide on them, on all or on those that no pattern covers. */
export function isDecidedCommand(
  call: ToolCall,
  tool: AgentTool,
  facts: Pick<RunFacts, "sandbox">,
  { mode }: Pick<ToolsConfig["exec"], "mode">,
): boolean {
  return traitsOf(call, tool).effect === "execute" && mode !== "full" && !runsInSandbox(call, tool, facts);
}
