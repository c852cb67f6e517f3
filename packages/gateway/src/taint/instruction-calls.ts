import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import { authorize } from "../access/authorize.ts";
import type { GateDecision } from "../access/tool-gate.ts";
import { changesMemory, memoryRefusal } from "./memory-files.ts";

/**
 * Whether a call may change instructions for later turns (R23); `undefined` if it would not change any, or may. A guest's call is left to the write itself, which
 * is refused. The write checks the file again, so a call that hides what it changes is refused there.
 */
export async function instructionDecision(
  call: ToolCall,
  tool: AgentTool,
  { facts, tainted }: { readonly facts: RunFacts; readonly tainted: boolean },
): Promise<Exclude<GateDecision, { type: "allow" }> | undefined> {
  if (!facts.owner || (!tainted && changesMemory(facts))) return undefined;
  const name = await tool.changedInstructions?.(call, facts);
  const unfit = memoryRefusal(name, facts);
  if (unfit !== undefined) return { type: "refuse", message: unfit };
  if (name === undefined || !tainted) return undefined;
  const decision = authorize({ type: "run", owner: facts.owner, tainted }, { type: "tool", effect: "write" }, { type: "instructions" });
  return decision.type === "confirm"
    ? { type: "ask", reason: `${decision.reason} It would change ${name}: later conversations or commands follow what stands there.` }
    : undefined;
}
