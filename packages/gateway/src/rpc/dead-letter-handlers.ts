import type { RpcMethod } from "@factotum/protocol";
import type { DeadLetterService } from "../delivery/dead-letter-service.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods that list, replay and purge dead letters. */
export function deadLetterHandlers(deadLetters: DeadLetterService): RpcHandlersOf<Extract<RpcMethod, `deadletters.${string}`>> {
  return {
    "deadletters.list": async (params) => deadLetters.list(params),
    "deadletters.show": async ({ id }) => deadLetters.show(id),
    "deadletters.replay": async ({ id, risk }) => deadLetters.replay(id, { risk: risk ?? false }),
    "deadletters.purge": async (params) => deadLetters.purge(params),
  };
}
