import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { explainTool, listTools } from "../sessions/explain-tools.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods that explain the tool policy. */
export function toolHandlers({ sessions, parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `tools.${string}`>> {
  const options = { ...parts, sessions };
  return {
    "tools.list": async (query) => listTools(query, options),
    "tools.explain": async (query) => explainTool(query, options),
  };
}
