import { ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { Engine } from "../engine/engine.ts";
import { defaultAgentId, orderBindings } from "../routing/route.ts";
import { readIdentityName } from "../workspace/bootstrap-files.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type AgentChange = "agents.add" | "agents.update" | "agents.remove" | "agents.bind" | "agents.unbind";

/** What clients change of the agents in the configuration: a function for each method. Each rejects with an `RpcError`. */
export type AgentService = {
  readonly [Method in AgentChange as Method extends `agents.${infer Name}` ? Name : never]: (
    params: RpcMethods[Method]["params"],
  ) => Promise<RpcMethods[Method]["result"]>;
};

/** The methods that show and change the agents, and which messages are theirs. */
export function agentHandlers(
  { parts, sessions }: Pick<Engine, "parts" | "sessions">,
  service: AgentService,
): RpcHandlersOf<Extract<RpcMethod, `agents.${string}`>> {
  return {
    "agents.add": async (params) => service.add(params),
    "agents.update": async (params) => service.update(params),
    "agents.remove": async (params) => service.remove(params),
    "agents.bind": async (params) => service.bind(params),
    "agents.unbind": async (params) => service.unbind(params),
    "agents.list": async () => ({
      agents: await Promise.all(
        parts.running.agents.list().map(async (agent) => ({
          id: agent.config.id,
          // In the order of the prompt.
          name: (await readIdentityName(agent.config.workspace)) ?? agent.name ?? agent.config.id,
          ...withoutUndefined({ emoji: agent.config.identity.emoji }),
          isDefault: agent.config.isDefault,
          mainSessionKey: sessions.mainKey(agent.config.id),
          workspace: agent.config.workspace,
          ...withoutUndefined({ model: await nextModel(agent) }),
        })),
      ),
      ...(Object.keys(parts.running.config.broadcast.peers).length === 0 ? {} : { broadcast: parts.running.config.broadcast }),
    }),
    "agents.bindings": async () => {
      const { config } = parts.running;
      const bindings = orderBindings(config.bindings).map(({ index, tier, binding: { agentId, acp, match, session } }) => ({
        index,
        agentId,
        tier,
        match: withoutUndefined(match),
        ...withoutUndefined({ externalAgent: acp?.agent, dmScope: session.dmScope }),
      }));
      return { bindings, defaultAgentId: defaultAgentId(config) };
    },
  };
}

async function nextModel(agent: AgentRuntime): Promise<string | undefined> {
  try {
    return (await agent.model(undefined)).reference;
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}
