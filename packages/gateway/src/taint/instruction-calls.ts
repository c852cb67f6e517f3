import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import { authorize } from "../access/authorize.ts";
import type { GateDecision } from "../access/tool-gate.ts";

/**
 * Whether a call may change instructions for later turns (R23); `undefined` if it would not change any. A guest's call is left to the write itself, which is
 * refused. The write checks the file again, so a call that hides what it changes is refused there.
 */
export async function instructionDecision(
  call: ToolCall,
  tool: AgentTool,
  { facts, tainted }: { readonly facts: RunFacts; readonly tainted: boolean },
): Promise<Extract<GateDecision, { type: "ask" }> | undefined> {
  if (!tainted || !facts.owner) return undefined;
  const name = await tool.changedInstructions?.(call, facts);
  if (name === undefined) return undefined;
  const decision = authorize({ type: "run", owner: facts.owner, tainted }, { type: "tool", effect: "write" }, { type: "instructions" });
  return decision.type === "confirm"
    ? { type: "ask", reason: `${decision.reason} It would change ${name}: later conversations or commands follow what stands there.` }
    : undefined;
}
