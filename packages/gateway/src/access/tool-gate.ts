import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolDecision } from "@factotum/agent-core";
import { authorize, OWN } from "./authorize.ts";
import type { Resource } from "./authorize.ts";

/** Decides whether a call may run, from the tool's traits and the run's authority. Arguments never widen it. */
export interface ToolGate {
  check(call: ToolCall, tool: AgentTool, run: RunFacts): ToolDecision;
}

/** The gate that asks `authorize`. */
export function createToolGate(): ToolGate {
  return {
    check: (call, tool, run) => {
      const decision = authorize({ type: "run", owner: run.owner }, { type: "tool", effect: tool.traits.effect }, resourceOf(call, tool));
      return decision.type === "allow" ? decision : { type: "refuse", message: `${tool.name} was refused. ${decision.reason}` };
    },
  };
}

/** A send that names an address asks for another than the run's own. */
function resourceOf(call: ToolCall, tool: AgentTool): Resource {
  const isElsewhere = call.arguments["channel"] !== undefined || call.arguments["target"] !== undefined;
  return tool.traits.effect === "send" && isElsewhere ? { type: "elsewhere" } : OWN;
}
