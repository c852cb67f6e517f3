import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { AgentTool, Clock, FileProvenance, Logger, RunFacts, ToolSource } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { NoteMemory } from "@factotum/memory";
import type { Store } from "@factotum/store";
import { createMemoryTools } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { redactTools } from "./redact-tools.ts";

/** The memory of a gateway. */
export interface ComposedMemory {
  /** Adds the tools of memory to those of a source, as long as there are notes. */
  readonly withTools: (source: Pick<ToolSource, "id" | "tools">) => ToolSource;
  readonly close: () => Promise<void>;
}

/** A start does not wait longer for a slow disk. */
const START_MS = 1_000;

interface MemoryParts {
  readonly store: Pick<Store, "readSession">;
  readonly provenance: Pick<FileProvenance, "isUntrusted">;
  readonly currentConfig: () => FactotumConfig;
  readonly secrets: SecretFilter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Prepares the search over notes. No index is opened before the first search. */
export async function composeMemory({ paths }: Pick<CliContext, "paths">, parts: MemoryParts): Promise<ComposedMemory> {
  const { store, provenance, currentConfig, secrets, ...system } = parts;
  const memory = new NoteMemory({
    ...system,
    folder: join(paths.stateFolder, "memory"),
    placesOf: (agentId) => {
      const agent = currentConfig().agents.find(({ id }) => id === agentId);
      return agent === undefined ? undefined : { workspace: agent.workspace, extraPaths: currentConfig().memory.extraPaths };
    },
    isUntrusted: async (file, { isExtra, ...run }) =>
      isExtra ? isWritten(file, [paths.home, ...writableFolders(currentConfig())]) : provenance.isUntrusted(file, run),
  });
  const isPrivate = async ({ sessionKey }: RunFacts): Promise<boolean> => (await store.readSession(sessionKey))?.isPrivate === true;
  const tools = redactTools(createMemoryTools({ memory, isPrivate }), secrets.toolOutput);
  // Once offered they stay: what a request begins with should change as seldom as possible.
  // Known before the first turn: sessions that have them continue with them after a restart.
  const signal = AbortSignal.timeout(START_MS);
  const found = await Promise.all(currentConfig().agents.map(async ({ id: agentId }) => memory.hasNotes({ agentId, signal })));
  let isOffered = found.includes(true);
  return {
    withTools: ({ id, tools: own }) => {
      const all: readonly AgentTool[] = [...own, ...tools];
      return {
        id,
        get tools(): readonly AgentTool[] {
          return isOffered ? all : own;
        },
        prepare: async ({ agentId, signal }) => {
          if (!isOffered) isOffered = await memory.hasNotes({ agentId, signal });
        },
      };
    },
    close: () => memory.close(),
  };
}

/** Outside the state directory, where tools write without a record of what was text of others. */
function writableFolders({ agents }: FactotumConfig): readonly string[] {
  return agents.flatMap(({ workspace, sandbox }) => [workspace, sandbox.workspaceRoot ?? workspace]);
}

/** Whether a file of an extra path is in one of the folders, by the real paths; a file that has gone counts as if. */
async function isWritten(file: string, folders: readonly string[]): Promise<boolean> {
  const [real, ...places] = await Promise.all([file, ...folders].map(async (place) => realpath(place).catch(() => place)));
  return real === undefined || places.some((place) => real === place || real.startsWith(`${place}${sep}`));
}
