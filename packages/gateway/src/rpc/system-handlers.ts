import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import { parseAgentSessionKey } from "../routing/session-key.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";

/** The methods that tell agents what has happened. The caller has the token: the owner. */
export function systemHandlers({
  sessions,
  schedule,
}: Pick<Engine, "sessions" | "schedule">): RpcHandlersOf<Extract<RpcMethod, `system.${string}`>> {
  return {
    "system.event": async ({ text, agentId: named, sessionKey: written, wake = "next-heartbeat" }) => {
      const sessionKey =
        written === undefined ? undefined : await sessions.resolveTarget(withoutUndefined({ sessionKey: written, agentId: named }));
      const agentId = sessions.agentId(named ?? (sessionKey === undefined ? undefined : parseAgentSessionKey(sessionKey)?.agentId));
      const added = await schedule.systemEvents.add({ agentId, text, wake, kind: "user", ...withoutUndefined({ sessionKey }) });
      if (added.type === "refused") throw new RpcError("conflict", added.message);
      return { sessionKey: added.sessionKey, ...withoutUndefined({ note: added.note }) };
    },
  };
}
