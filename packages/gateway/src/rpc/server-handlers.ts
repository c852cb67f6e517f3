import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

type ServerMethod = Extract<RpcMethod, `servers.${string}`>;
type OfAgent<Method extends ServerMethod> = Omit<RpcMethods[Method]["params"], "agentId"> & { readonly agentId: string };

/** MCP servers and language servers, for clients. Each function rejects with an `RpcError`. */
export interface ServerService {
  list(params: OfAgent<"servers.list">): Promise<RpcMethods["servers.list"]["result"]>;
  test(params: OfAgent<"servers.test">, options: { readonly signal: AbortSignal }): Promise<RpcMethods["servers.test"]["result"]>;
}

/** The methods of servers. The caller has the token: the owner. */
export function serverHandlers({ sessions }: Pick<Engine, "sessions">, service: ServerService): RpcHandlersOf<ServerMethod> {
  return {
    "servers.list": async ({ agentId }) => service.list({ agentId: sessions.agentId(agentId) }),
    "servers.test": async (params, { signal }) => service.test({ ...params, agentId: sessions.agentId(params.agentId) }, { signal }),
  };
}
