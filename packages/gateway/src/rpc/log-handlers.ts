import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The log for clients. No secret is in what it resolves with. */
export interface LogService {
  tail(query: RpcMethods["logs.tail"]["params"]): Promise<RpcMethods["logs.tail"]["result"]>;
}

/** The methods of the log. */
export function logHandlers(service: LogService): RpcHandlersOf<Extract<RpcMethod, `logs.${string}`>> {
  return { "logs.tail": async (query) => service.tail(query) };
}
