import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { traceMessage } from "../requests/trace-message.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of single messages. */
export function messageHandlers({ sessions, parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `messages.${string}`>> {
  return {
    "messages.trace": async ({ sessionKey, ...query }) =>
      traceMessage({ sessionKey: await sessions.resolveKey({ sessionKey }), isOfSession: sessionKey !== undefined, ...query }, parts),
  };
}
