import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { queryUsage } from "../requests/query-usage.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of usage and cost. */
export function usageHandlers({ parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `usage.${string}`>> {
  return { "usage.query": async (query) => queryUsage(query, parts) };
}
