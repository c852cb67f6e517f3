import { plural } from "@factotum/agent-contract";
import type { AgentTool, Subagents } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

/** Ends the turn; the session continues with the results of its sub-agents once all of them have ended. */
export function createSessionsYieldTool({ subagents }: { readonly subagents: Subagents }): AgentTool {
  return defineTool({
    name: "sessions_yield",
    summary: "End the turn until the sub-agents have ended",
    description:
      "Ends your turn. You continue with the results of your sub-agents when all of them have ended. What you say with the call is your answer for now.",
    schema: z.strictObject({}),
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false, holdsNoPlace: true },
    async execute(_, { run, tainted }) {
      const count = await subagents.wait({ run, tainted });
      if (count === 0) return errorResult("No sub-agent of this session is running: there is nothing to wait for. Answer now.");
      return { ...textResult(`The turn ends here. You continue with ${plural(count, "result")}.`), endsTurn: true };
    },
  });
}
