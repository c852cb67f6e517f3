import type { AgentService, ConfigControl } from "@factotum/gateway";
import type { CliContext } from "../runtime/cli-context.ts";
import { addAgent, bindAgent, changeAgent, removeAgent, unbindAgent } from "../compose/agent-changes.ts";
import { asRequest } from "./service-error.ts";

interface AgentServiceParts {
  readonly context: Pick<CliContext, "env">;
  readonly control: Pick<ConfigControl, "reload" | "report">;
}

/** The agents of the configuration for clients: what `factotum agents` does. */
export function createAgentService({ context, control }: AgentServiceParts): AgentService {
  /** Applies a written file; what is wrong since then. */
  const applied = async (): Promise<readonly string[]> => {
    const known = new Set(control.report().problems);
    const { type, problems } = await control.reload();
    return type === "kept" ? problems : problems.filter((problem) => !known.has(problem));
  };
  return {
    add: (agent) =>
      asRequest(async () => {
        const { workspace } = await addAgent(context, agent);
        return { id: agent.id, workspace, problems: await applied() };
      }),
    update: ({ id, ...change }) =>
      asRequest(async () => {
        await changeAgent(context, id, change);
        return { id, problems: await applied() };
      }),
    remove: ({ id }) =>
      asRequest(async () => {
        const { workspace } = await removeAgent(context, id);
        await applied();
        return { id, workspace };
      }),
    bind: ({ agentId, match }) =>
      asRequest(async () => {
        await bindAgent(context, agentId, match);
        return { agentId, problems: await applied() };
      }),
    unbind: ({ agentId, index }) =>
      asRequest(async () => {
        await unbindAgent(context, index, agentId);
        await applied();
        return { index };
      }),
  };
}
