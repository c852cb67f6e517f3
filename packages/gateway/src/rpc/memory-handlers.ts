import {
  withoutUndefined,
  type AuditNotes,
  type MemoryProvider,
  type MemorySourceKind,
  type NoteHistory,
  type TextEmbeddings,
} from "@factotum/agent-contract";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "./rpc-error.ts";

const DEFAULT_RESULTS = 6;
const SOURCES: readonly MemorySourceKind[] = ["notes", "sessions"];
/** Names of changed files in an answer. */
const MAX_NAMED = 200;

/** What agents remember. */
export interface GatewayMemory {
  readonly provider: MemoryProvider;
  /** Is given what embeds texts with the configured model, when it can. */
  readonly embedWith: (embeddings: TextEmbeddings) => void;
  readonly history: NoteHistory;
  readonly audit: AuditNotes;
}

/** The methods that search the memory, bring its index up to date, restore versions of notes, and that examine notes. The caller has the token: the owner. */
export function memoryHandlers(
  { sessions }: Pick<Engine, "sessions">,
  { provider: memory, history, audit }: Omit<GatewayMemory, "embedWith">,
): RpcHandlersOf<Extract<RpcMethod, `memory.${string}`>> {
  return {
    "memory.status": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, ...(await memory.status({ agentId, signal })) };
    },
    "memory.search": async ({ agentId: named, query, maxResults = DEFAULT_RESULTS, sources = SOURCES }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { hits, degraded } = await memory.search({ query, maxResults, minScore: 0, sources }, { agentId, signal });
      return { agentId, hits, ...withoutUndefined({ degraded }) };
    },
    "memory.index": async ({ agentId: named, rebuild = false }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { status, changes } = await memory.index({ agentId, rebuild, signal });
      return { status: { agentId, ...status }, changed: changes.length, changes: changes.slice(0, MAX_NAMED) };
    },
    "memory.versions": async ({ agentId: named, path }) => {
      const agentId = sessions.agentId(named);
      const versions = path === undefined ? [] : await history.list(agentId, path);
      return { agentId, notes: await history.notes(agentId), versions };
    },
    "memory.version": async ({ agentId: named, path, id }) => {
      const found = await history.read(sessions.agentId(named), path, id);
      if (found === undefined) throw noVersion(path);
      return { text: found.text };
    },
    "memory.restore": async ({ agentId: named, path, id }) => {
      const agentId = sessions.agentId(named);
      const outcome = await history.restore(agentId, path, id);
      if (outcome.type === "not-found") throw noVersion(path);
      if (outcome.type === "refused") throw new RpcError("conflict", outcome.message);
      return { agentId, path };
    },
    "memory.audit": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, notes: await audit(agentId, { signal }) };
    },
  };
}

function noVersion(path: string): RpcError {
  return new RpcError("not-found", `${path} has no such version. "factotum memory versions ${path}" lists those that there are.`);
}
