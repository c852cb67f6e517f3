import type { AgentService, ConfigControl } from "@factotum/gateway";
import type { CliContext } from "../runtime/cli-context.ts";
import { addAgent, bindAgent, changeAgent, removeAgent, unbindAgent } from "../compose/agent-changes.ts";
import { applyChange } from "./apply-change.ts";
import { asRequest } from "./service-error.ts";

interface AgentServiceParts {
  readonly context: Pick<CliContext, "env">;
  readonly control: Pick<ConfigControl, "reload" | "report">;
}

/** The agents of the configuration for clients: what `factotum agents` does. */
export function createAgentService({ context, control }: AgentServiceParts): AgentService {
  return {
    add: (agent) =>
      asRequest(async () => {
        const { workspace } = await addAgent(context, agent);
        return { id: agent.id, workspace, problems: await applyChange(control) };
      }),
    update: ({ id, ...change }) =>
      asRequest(async () => {
        await changeAgent(context, id, change);
        return { id, problems: await applyChange(control) };
      }),
    remove: ({ id }) =>
      asRequest(async () => {
        const { workspace } = await removeAgent(context, id);
        await applyChange(control);
        return { id, workspace };
      }),
    bind: ({ agentId, match }) =>
      asRequest(async () => {
        await bindAgent(context, agentId, match);
        return { agentId, problems: await applyChange(control) };
      }),
    unbind: ({ agentId, index }) =>
      asRequest(async () => {
        await unbindAgent(context, index, agentId);
        await applyChange(control);
        return { index };
      }),
  };
}
