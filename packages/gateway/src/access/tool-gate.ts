import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolDecision } from "@factotum/agent-core";
import { authorize } from "./authorize.ts";
import type { ToolAction } from "./authorize.ts";

/** Decides whether a call may run, from the tool's traits and the run's authority. Arguments never widen it. */
export interface ToolGate {
  check(call: ToolCall, tool: AgentTool, run: RunFacts): ToolDecision;
}

/** The gate that asks `authorize`. */
export function createToolGate(): ToolGate {
  return {
    check: (call, tool, run) => {
      const decision = authorize({ type: "run", owner: run.owner }, { type: "tool", effect: toolAction(call, tool) });
      return decision.type === "allow" ? decision : { type: "refuse", message: `${tool.name} was refused. ${decision.reason}` };
    },
  };
}

function toolAction(call: ToolCall, tool: AgentTool): ToolAction {
  if (tool.traits.effect !== "send") return tool.traits.effect;
  return call.arguments["channel"] === undefined && call.arguments["target"] === undefined ? "send" : "send-elsewhere";
}
