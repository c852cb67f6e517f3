import { withoutUndefined, type MemoryProvider } from "@factotum/agent-contract";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

const DEFAULT_RESULTS = 6;
/** Names of changed files in an answer. */
const MAX_NAMED = 200;

/** The methods that search the memory and bring its index up to date. The caller has the token: the owner. */
export function memoryHandlers(
  { sessions }: Pick<Engine, "sessions">,
  memory: MemoryProvider,
): RpcHandlersOf<Extract<RpcMethod, `memory.${string}`>> {
  return {
    "memory.status": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, ...(await memory.status({ agentId, signal })) };
    },
    "memory.search": async ({ agentId: named, query, maxResults = DEFAULT_RESULTS }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { hits, degraded } = await memory.search({ query, maxResults, minScore: 0, sources: ["notes"] }, { agentId, signal });
      return { agentId, hits, ...withoutUndefined({ degraded }) };
    },
    "memory.index": async ({ agentId: named, rebuild = false }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { status, changes } = await memory.index({ agentId, rebuild, signal });
      return { status: { agentId, ...status }, changed: changes.length, changes: changes.slice(0, MAX_NAMED) };
    },
  };
}
