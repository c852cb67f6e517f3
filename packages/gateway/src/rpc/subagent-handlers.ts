import type { ChatSubagent, RpcMethod } from "@factotum/protocol";
import type { SubagentChange } from "@factotum/agent-contract";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";

/** The methods that list, steer and end sub-agents, as `/subagents` does. The caller has the token: the owner. */
export function subagentHandlers({
  parts: { subagents },
  sessions,
  subagentTree,
}: Pick<Engine, "parts" | "sessions" | "subagentTree">): RpcHandlersOf<Extract<RpcMethod, `subagents.${string}`>> {
  const find = async (named: string): Promise<ChatSubagent> => {
    const found = await subagentTree.of(await sessions.resolveKey({ sessionKey: named }));
    if (found === undefined)
      throw new RpcError("not-found", "There is no such sub-agent. It may have ended so long ago that its session was removed.");
    return found;
  };
  const change = async (named: string, work: (found: ChatSubagent) => Promise<SubagentChange>) => {
    const found = await find(named);
    const { type } = await work(found);
    if (type === "refused") throw new RpcError("conflict", "This sub-agent has ended already.");
    return { subagent: (await subagentTree.of(found.sessionKey)) ?? found };
  };
  return {
    "subagents.list": async () => ({ subagents: await subagentTree.all() }),
    "subagents.steer": async ({ sessionKey: named, text, idempotencyKey: key }) =>
      change(named, async ({ parentKey, sessionKey }) =>
        subagents.steerOf(parentKey, sessionKey, { text, tainted: false, owner: true, key }),
      ),
    "subagents.kill": async ({ sessionKey: named }) =>
      change(named, async ({ parentKey, sessionKey }) =>
        subagents.killOf(parentKey, sessionKey, { state: "killed", reason: "you asked me to end it", tells: "turn" }, { owner: true }),
      ),
  };
}
