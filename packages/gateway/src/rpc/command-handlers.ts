import type { RpcMethod } from "@factotum/protocol";
import { listCommands } from "../commands/list-commands.ts";
import type { Engine } from "../engine/engine.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** The methods of slash commands. */
export function commandHandlers({ sessions, parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `commands.${string}`>> {
  return {
    "commands.list": async ({ sessionKey, agentId: named }) => {
      const ofSession = sessionKey === undefined ? undefined : parseAgentSessionKey(await sessions.resolveTarget({ sessionKey }))?.agentId;
      return { commands: await listCommands(parts.running.agent(sessions.agentId(ofSession ?? named)), parts) };
    },
  };
}
