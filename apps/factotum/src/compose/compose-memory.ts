import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { ModelError } from "@factotum/agent-contract";
import type {
  AgentTool,
  Clock,
  FileProvenance,
  Logger,
  MemoryProvider,
  RunFacts,
  TextEmbeddings,
  ToolSource,
} from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { NoteMemory } from "@factotum/memory";
import type { Store } from "@factotum/store";
import { createMemoryTools } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { redactTools } from "./redact-tools.ts";
import { createSearchableConversations } from "./searchable-conversations.ts";

/** The memory of a gateway. */
export interface ComposedMemory {
  /** The memory that the configuration names. */
  readonly provider: MemoryProvider;
  /** Adds the tools of memory to those of a source, once there is anything to find. */
  readonly withTools: (source: Pick<ToolSource, "id" | "tools">) => ToolSource;
  /** Sets what embeds texts from now on: the embeddings of the gateway, once it has started. */
  readonly embedWith: (embeddings: TextEmbeddings) => void;
  readonly close: () => Promise<void>;
}

/** A start does not wait longer for a slow disk. */
const START_MS = 1_000;

interface MemoryParts {
  readonly store: Pick<Store, "readSession" | "listConversations" | "exportTranscript" | "readTranscript" | "readTurn">;
  readonly provenance: Pick<FileProvenance, "isUntrusted">;
  readonly currentConfig: () => FactotumConfig;
  readonly secrets: SecretFilter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The memory that a plugin is. */
  readonly ofPlugin: (id: string) => MemoryProvider | undefined;
}

/** Prepares the search over notes and conversations. No index is opened before the first search. */
export async function composeMemory({ paths }: Pick<CliContext, "paths">, parts: MemoryParts): Promise<ComposedMemory> {
  const { store, provenance, currentConfig, secrets, ofPlugin, ...system } = parts;
  const { embeddings, embedWith } = lateEmbeddings(currentConfig, secrets);
  const memory = new NoteMemory({
    ...system,
    embeddings,
    folder: join(paths.stateFolder, "memory"),
    placesOf: (agentId) => {
      const agent = currentConfig().agents.find(({ id }) => id === agentId);
      return agent === undefined ? undefined : { workspace: agent.workspace, extraPaths: currentConfig().memory.extraPaths };
    },
    conversations: createSearchableConversations({ store, currentConfig, redactor: secrets.toolOutput }),
    isUntrusted: async (file, { isExtra, lines, ...run }) =>
      isExtra ? isWritten(file, [paths.home, ...writableFolders(currentConfig())]) : provenance.isUntrusted(file, run, lines),
  });
  const isPrivate = async ({ sessionKey }: RunFacts): Promise<boolean> => (await store.readSession(sessionKey))?.isPrivate === true;
  const provider = (): string | undefined => currentConfig().memory.provider;
  const chosen = chosenMemory(memory, { provider, ofPlugin });
  const tools = redactTools(createMemoryTools({ memory: chosen, isPrivate }), secrets.toolOutput);
  // Once offered they stay: what a request begins with should change as seldom as possible.
  // Known before the first turn: sessions that have them continue with them after a restart.
  const signal = AbortSignal.timeout(START_MS);
  const found = await Promise.all(currentConfig().agents.map(async ({ id: agentId }) => memory.hasContent({ agentId, signal })));
  let isOffered = found.includes(true);
  return {
    provider: chosen,
    withTools: ({ id, tools: own }) => {
      const all: readonly AgentTool[] = [...own, ...tools];
      return {
        id,
        get tools(): readonly AgentTool[] {
          return isOffered || provider() !== undefined ? all : own;
        },
        prepare: async ({ agentId, signal }) => {
          if (!isOffered) isOffered = await memory.hasContent({ agentId, signal });
        },
      };
    },
    embedWith,
    close: () => memory.close(),
  };
}

/** The embeddings of a gateway that starts later. What tools do not show of a text is not sent to a provider, either. */
function lateEmbeddings(
  currentConfig: MemoryParts["currentConfig"],
  { toolOutput }: SecretFilter,
): { readonly embeddings: TextEmbeddings; readonly embedWith: ComposedMemory["embedWith"] } {
  let started: TextEmbeddings | undefined;
  return {
    embeddings: {
      model: () => currentConfig().memory.embeddings?.model,
      embed: async (texts, options) => {
        if (started === undefined) throw new ModelError("aborted", "The gateway is still starting.", { retry: { type: "backoff" } });
        await toolOutput.ready();
        return started.embed(
          texts.map((text) => toolOutput.redact(text)),
          options,
        );
      },
    },
    embedWith: (given) => {
      started = given;
    },
  };
}

/** The memory that the configuration names now. One that is missing is not replaced by another: the tools say so. */
function chosenMemory(
  notes: MemoryProvider,
  { provider, ofPlugin }: { readonly provider: () => string | undefined; readonly ofPlugin: MemoryParts["ofPlugin"] },
): MemoryProvider {
  const current = (): MemoryProvider => {
    const id = provider();
    return id === undefined ? notes : (ofPlugin(id) ?? missingMemory(id));
  };
  return {
    search: async (query, options) => current().search(query, options),
    get: async (where, options) => current().get(where, options),
    status: async (options) => current().status(options),
    index: async (options) => current().index(options),
  };
}

function missingMemory(id: string): MemoryProvider {
  const problem = `the plugin ${id}, which memory.provider names, is not there or not used`;
  const status = { provider: `plugin ${id}`, works: false, files: 0, chunks: 0, problems: [`${problem}: see "factotum plugins list".`] };
  return {
    search: async () => Promise.resolve({ hits: [], degraded: problem }),
    get: async () => Promise.resolve({ type: "not-found", message: `Nothing can be shown: ${problem}.` }),
    status: async () => Promise.resolve(status),
    index: async () => Promise.resolve({ status, changes: [] }),
  };
}

/** Outside the state directory, where tools write without a record of what was text of others. */
function writableFolders({ agents }: FactotumConfig): readonly string[] {
  return agents.flatMap(({ workspace, sandbox }) => [workspace, sandbox.workspaceRoot ?? workspace]);
}

/** Whether a file of an extra path is in one of the folders, by the real paths; a file that is gone counts as one. */
async function isWritten(file: string, folders: readonly string[]): Promise<boolean> {
  const [real, ...places] = await Promise.all([file, ...folders].map(async (place) => realpath(place).catch(() => place)));
  return real === undefined || places.some((place) => real === place || real.startsWith(`${place}${sep}`));
}
