import type { AgentTool, SessionReporter } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";

/** Says what time it is, and what this session runs with. */
export function createSessionStatusTool({ reporter }: { readonly reporter: SessionReporter }): AgentTool {
  return defineTool({
    name: "session_status",
    summary: "Show the current time, the model and the context size",
    description: "Returns the current date and time in the user's zone, and the model, thinking level and context size of this session.",
    schema: z.strictObject({}),
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async (_args, { run }) => textResult(await reporter.describe(run)),
  });
}
