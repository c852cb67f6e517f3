import type { AgentSessions, AgentTool, ReachableAgent } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import { READS_SESSIONS } from "./sessions-list-tool.ts";

/** Lists the agents whose sessions the caller's agent may reach, and those that it may start. */
export function createAgentsListTool({ sessions }: { readonly sessions: Pick<AgentSessions, "agents"> }): AgentTool {
  return defineTool({
    name: "agents_list",
    summary: "List the agents within your reach",
    description: 'Lists the agents that you may reach, with their ids; external ones are started with sessions_spawn and runtime "acp".',
    schema: z.strictObject({}),
    traits: READS_SESSIONS,
    async execute(_args, { run, tainted }) {
      const agents = await sessions.agents({ run, tainted });
      const lines = agents.map((agent) => `- ${agent.id}${agent.name === undefined ? "" : ` (${agent.name})`}${reachOf(agent)}`);
      return textResult(lines.join("\n"), { details: { agents: agents.map(({ id }) => id) } });
    },
  });
}

function reachOf({ isSelf, hasSessions, isStartable, isExternal }: ReachableAgent): string {
  if (isSelf) return ": you";
  if (isExternal === true) return ": external";
  if (!isStartable) return "";
  return hasSessions ? ": sessions_spawn can start it, too" : ": only sessions_spawn can start it";
}
