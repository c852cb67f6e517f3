import type { RpcMethod, RpcMethods, ToolSummary } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { listTools } from "../sessions/explain-tools.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type SkillMethod = Extract<RpcMethod, `skills.${string}`>;
type Params<Method extends SkillMethod> = RpcMethods[Method]["params"];
type Result<Method extends SkillMethod> = Promise<RpcMethods[Method]["result"]>;

/** An agent, with what its skills depend on. */
interface SkillAgent {
  readonly agentId: string;
  /** The tools that the gateway has loaded, and what becomes of them in a run of the agent. */
  readonly tools: readonly ToolSummary[];
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** The skills of agents, for clients. Each function rejects with an `RpcError`. */
export interface SkillService {
  list(agent: SkillAgent, options: CallOptions): Result<"skills.list">;
  show(agent: SkillAgent & { readonly name: string }, options: CallOptions): Result<"skills.show">;
  enable(params: Params<"skills.enable">): Result<"skills.enable">;
  disable(params: Params<"skills.disable">): Result<"skills.disable">;
  install(params: Params<"skills.install">, options: CallOptions): Result<"skills.install">;
  remove(params: Params<"skills.remove">): Result<"skills.remove">;
}

/** The methods of skills. The caller has the token: the owner. */
export function skillHandlers({ sessions, parts }: Engine, service: SkillService): RpcHandlersOf<SkillMethod> {
  const agentOf = async (named: string | undefined): Promise<SkillAgent> => {
    const agentId = sessions.agentId(named);
    return { agentId, tools: (await listTools({ agentId }, { ...parts, sessions })).tools };
  };
  return {
    "skills.list": async ({ agentId }, { signal }) => service.list(await agentOf(agentId), { signal }),
    "skills.show": async ({ agentId, name }, { signal }) => service.show({ ...(await agentOf(agentId)), name }, { signal }),
    "skills.enable": async (params) => service.enable(params),
    "skills.disable": async (params) => service.disable(params),
    "skills.install": async (params, { signal }) => service.install(params, { signal }),
    "skills.remove": async (params) => service.remove(params),
  };
}
