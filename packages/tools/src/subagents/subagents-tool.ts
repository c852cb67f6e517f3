import type { AgentTool, AgentToolResult, Subagents, SubagentChange, ToolTraits } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import { describeSubagent } from "./describe-subagent.ts";

const SubagentsSchema = z.strictObject({
  action: z.enum(["list", "steer", "kill", "log"]),
  run: z.string().max(200).optional().describe("steer, kill, log: run id, its beginning, or label; kill: also all"),
  text: z.string().max(16_000).optional().describe("steer: the message to it"),
});

const READS: ToolTraits = { effect: "read", idempotent: true, output: "trusted", network: false, parallel: false, holdsNoPlace: true };
const CHANGES: ToolTraits = { ...READS, effect: "delegate", idempotent: false };

/** Lists, steers, ends and reads the sub-agents that the session has started. */
export function createSubagentsTool({ subagents }: { readonly subagents: Subagents }): AgentTool {
  return defineTool({
    name: "subagents",
    summary: "The sub-agents of this session: list, steer, kill, log",
    description: "The sub-agents that this session has started: state, cost and age; tell one something, end one, read what it has said.",
    schema: SubagentsSchema,
    takenBy: { run: ["steer", "kill", "log"], text: ["steer"] },
    traits: CHANGES,
    traitsFor: ({ action }) => (action === "list" || action === "log" ? READS : CHANGES),
    async execute({ action, run: named = "", text = "" }, { run, tainted }) {
      const caller = { run, tainted };
      if (action === "list") {
        const found = await subagents.list(caller);
        return textResult(found.length === 0 ? "This session has started no sub-agents." : found.map(describeSubagent).join("\n"));
      }
      if (named.trim() === "") return errorResult(`${action} needs run: which sub-agent. subagents {"action": "list"} shows them.`);
      if (action === "kill") return report(await subagents.kill(named, caller), "Ended");
      if (action === "steer") {
        if (text.trim() === "") return errorResult("steer needs text: the message to the sub-agent.");
        return report(await subagents.steer(named, text, caller), "Told");
      }
      const log = await subagents.log(named, caller);
      if (log.type === "refused") return errorResult(log.message);
      const shown = textResult(`${describeSubagent(log.view)}\n${log.text}`);
      return log.untrusted ? { ...shown, untrusted: true } : shown;
    },
  });
}

function report(change: SubagentChange, verb: string): AgentToolResult {
  if (change.type === "refused") return errorResult(change.message);
  return textResult([`${verb}:`, ...change.views.map(describeSubagent)].join("\n"));
}
