import {
  withoutUndefined,
  type AuditNotes,
  type MemoryProvider,
  type MemorySourceKind,
  type NoteVersion,
  type TextEmbeddings,
  type VersionedNote,
} from "@factotum/agent-contract";
import type { MemoryFile, MemoryForgetReport, MemoryForgetScope, MemoryText, RpcMethod } from "@factotum/protocol";
import { normalizeSessionKey } from "../routing/session-key.ts";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";

const DEFAULT_RESULTS = 6;
const SOURCES: readonly MemorySourceKind[] = ["notes", "sessions"];
/** Names of changed files in an answer. */
const MAX_NAMED = 200;

/**
 * The notes of agents, for the owner. Paths are relative to the workspace. Rejects with an `RpcError`: `not-found` for what is no note, `conflict` for a note that
 * is another one than was read, or cannot be read or written.
 */
export interface NoteService {
  /** By path. */
  list(agentId: string, options: { readonly signal: AbortSignal }): Promise<readonly MemoryFile[]>;
  read(agentId: string, path: string): Promise<Omit<MemoryText, "agentId">>;
  /** Without a `baseHash` the note must not exist. */
  write(agentId: string, change: { readonly path: string; readonly text: string; readonly baseHash?: string }): Promise<void>;
  remove(agentId: string, change: { readonly path: string; readonly baseHash: string }): Promise<void>;
  /** Calls the listener with the agent whose note was changed by a tool or by this service. */
  onChange(listener: (agentId: string) => void): Disposable;
}

/** The versions of an agent's notes. Paths are relative to its workspace. Rejects with an `RpcError`. */
export interface NoteHistory {
  /** The notes that have versions, by path; also those that are no longer there. */
  notes(agentId: string): Promise<readonly VersionedNote[]>;
  /** Newest first; none for a path that is no note. */
  list(agentId: string, path: string): Promise<readonly NoteVersion[]>;
  /** The text of a version. */
  read(agentId: string, path: string, id: string): Promise<{ readonly text: string }>;
  /** Writes a version into its note, whose present text becomes a version first. */
  restore(agentId: string, path: string, id: string): Promise<void>;
}

/** Forgets for good. Rejects with an `RpcError` for what cannot be done now. */
export interface ForgetService {
  /** What would be forgotten. Changes nothing. */
  plan(scope: MemoryForgetScope): Promise<MemoryForgetReport>;
  /** Stores the decision, unless there is nothing of it, and restarts the gateway. */
  forget(scope: MemoryForgetScope): Promise<MemoryForgetReport>;
}

/** What agents remember. */
export interface GatewayMemory {
  readonly provider: MemoryProvider;
  /** Is given what embeds texts with the configured model, when it can. */
  readonly embedWith: (embeddings: TextEmbeddings) => void;
  readonly files: NoteService;
  readonly history: NoteHistory;
  readonly audit: AuditNotes;
  readonly forgetting: ForgetService;
}

/** The methods that search the memory, bring its index up to date, restore versions of notes, and that examine notes. The caller has the token: the owner. */
export function memoryHandlers(
  { sessions, parts }: Pick<Engine, "sessions"> & { readonly parts: Pick<Engine["parts"], "hideSecrets"> },
  { provider: memory, files, history, audit, forgetting }: Omit<GatewayMemory, "embedWith">,
): RpcHandlersOf<Extract<RpcMethod, `memory.${string}`>> {
  return {
    "memory.status": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, ...(await memory.status({ agentId, signal })) };
    },
    "memory.search": async ({ agentId: named, query, maxResults = DEFAULT_RESULTS, sources = SOURCES }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { hits: found, degraded } = await memory.search({ query, maxResults, minScore: 0, sources }, { agentId, signal });
      const hits = found.map((hit) => ({ ...hit, text: parts.hideSecrets(hit.text) }));
      return { agentId, hits, ...withoutUndefined({ degraded }) };
    },
    "memory.index": async ({ agentId: named, rebuild = false }, { signal }) => {
      const agentId = sessions.agentId(named);
      const { status, changes } = await memory.index({ agentId, rebuild, signal });
      return { status: { agentId, ...status }, changed: changes.length, changes: changes.slice(0, MAX_NAMED) };
    },
    ...noteHandlers({ sessions }, files),
    "memory.versions": async ({ agentId: named, path }) => {
      const agentId = sessions.agentId(named);
      const versions = path === undefined ? [] : await history.list(agentId, path);
      return { agentId, notes: await history.notes(agentId), versions };
    },
    "memory.version": async ({ agentId: named, path, id }) => history.read(sessions.agentId(named), path, id),
    "memory.restore": async ({ agentId: named, path, id }) => {
      const agentId = sessions.agentId(named);
      await history.restore(agentId, path, id);
      return { agentId, path };
    },
    "memory.forget": async ({ scope: written, dryRun = false }) => {
      const scope = forgetScope(written);
      return dryRun ? forgetting.plan(scope) : forgetting.forget(scope);
    },
    "memory.audit": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, notes: await audit(agentId, { signal }) };
    },
  };
}

/** The methods of the notes themselves. */
function noteHandlers(
  { sessions }: Pick<Engine, "sessions">,
  files: NoteService,
): RpcHandlersOf<"memory.list" | "memory.read" | "memory.write" | "memory.remove"> {
  const read = async (agentId: string, path: string): Promise<MemoryText> => ({ agentId, ...(await files.read(agentId, path)) });
  return {
    "memory.list": async ({ agentId: named }, { signal }) => {
      const agentId = sessions.agentId(named);
      return { agentId, notes: await files.list(agentId, { signal }) };
    },
    "memory.read": async ({ agentId: named, path }) => read(sessions.agentId(named), path),
    "memory.write": async ({ agentId: named, ...change }) => {
      const agentId = sessions.agentId(named);
      await files.write(agentId, change);
      return read(agentId, change.path);
    },
    "memory.remove": async ({ agentId: named, ...change }) => {
      const agentId = sessions.agentId(named);
      await files.remove(agentId, change);
      return { agentId, path: change.path };
    },
  };
}

/** A shorter text is in too many others. */
const MIN_FORGET_CHARS = 2;

function forgetScope(scope: MemoryForgetScope): MemoryForgetScope {
  if (scope.type === "session") return { ...scope, sessionKey: normalizeSessionKey(scope.sessionKey) };
  if (scope.type === "span") {
    if (scope.toMs === undefined || scope.fromMs < scope.toMs) return scope;
    throw new RpcError("invalid-request", "The time ends before it begins.");
  }
  const text = scope.text.trim();
  if (text.length < MIN_FORGET_CHARS) throw new RpcError("invalid-request", `Name at least ${MIN_FORGET_CHARS} characters.`);
  return { ...scope, text };
}
