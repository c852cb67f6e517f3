import { realpath } from "node:fs/promises";
import type { RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { RpcError, type NoteHistory } from "@factotum/gateway";
import type { NoteVersions } from "@factotum/memory";
import type { NoteChanges } from "../compose/note-changes.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { FileAccessError, type FileAccess } from "@factotum/tools";

interface NoteHistoryParts {
  /** Keeps versions of what it changes. */
  readonly files: FileAccess;
  readonly currentConfig: () => FactotumConfig;
  readonly secrets: Pick<SecretFilter, "toolOutput">;
  readonly changes: Pick<NoteChanges, "announce">;
}

/** The versions of notes, restored by the rules of the file tools: what may hold text of others is marked so again, and is refused in `MEMORY.md`. */
export function createNoteHistory(versions: NoteVersions, { files, currentConfig, secrets, changes }: NoteHistoryParts): NoteHistory {
  return {
    notes: async (agentId) => versions.notes(agentId),
    list: async (agentId, path) => versions.list(agentId, path),
    read: async (agentId, path, id) => {
      const found = await versions.read(agentId, path, id);
      if (found === undefined) throw noVersion(path);
      await secrets.toolOutput.ready();
      return { text: secrets.toolOutput.redact(found.text) };
    },
    restore: async (agentId, path, id) => {
      const found = await versions.read(agentId, path, id);
      const workspace = currentConfig().agents.find((agent) => agent.id === agentId)?.workspace;
      if (found === undefined || workspace === undefined) throw noVersion(path);
      try {
        const access = await files.forRun(ownersRun(agentId, await realpath(workspace)));
        await access.write(path, found.text, { tainted: found.untrusted });
        changes.announce(agentId);
      } catch (error) {
        if (error instanceof FileAccessError) throw new RpcError("conflict", error.message, { cause: error });
        throw error;
      }
    },
  };
}

function noVersion(path: string): RpcError {
  return new RpcError("not-found", `${path} has no such version. "factotum memory versions ${path}" lists those that there are.`);
}

/** The facts of a change that the owner makes without a run. `workspace` is a real path. */
export function ownersRun(agentId: string, workspace: string): RunFacts {
  const names = { runId: "restore", sessionKey: "", sessionId: "restore" };
  return { ...names, agentId, kind: "user", workspace, owner: true, timeZone: "UTC" };
}
