import { join } from "node:path";
import type { FileCheckpoints, FileProvenance, NoteHistory } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import { CheckpointKeeper, createFileProvenance, type CheckpointPorts } from "@factotum/gateway";
import { NoteVersions } from "@factotum/memory";
import type { Store } from "@factotum/store";
import { createFileAccess, type FileAccess } from "@factotum/tools";
import { systemClock } from "../runtime/system-clock.ts";
import { composeNoteHistory } from "./note-history.ts";
import type { RunRoots } from "./run-roots.ts";

/** The dependencies of file access in addition to the paths. */
interface FileAccessParts {
  readonly store: Store;
  readonly currentConfig: () => FactotumConfig;
  readonly roots: RunRoots;
}

/** The access of tools, and what files held before turns changed them. */
export interface ComposedFileAccess {
  readonly files: FileAccess;
  readonly checkpoints: CheckpointPorts;
  readonly provenance: FileProvenance;
  readonly history: NoteHistory;
}

/** The file access of tools, the reading of files that the owner names, the provenance of text in files, checkpoints, and versions of notes. */
export function composeFileAccess(
  { paths, path: configPath }: LoadedConfig,
  { store, currentConfig, roots }: FileAccessParts,
): ComposedFileAccess {
  const provenance = createFileProvenance({
    store,
    places: () => ({ agents: currentConfig().agents, skillFolders: roots.skillFolders() }),
  });
  const options = {
    roots: roots.rootsOf,
    home: paths.home,
    protectedPaths: [configPath],
    userHome: paths.userHome,
    provenance,
  };
  const versions = new NoteVersions({
    folder: join(paths.stateFolder, "note-versions"),
    workspaceOf: (agentId) => currentConfig().agents.find(({ id }) => id === agentId)?.workspace,
    isEnabled: () => currentConfig().tools.checkpoints,
    isUntrusted: async (path, run) => provenance.isUntrusted(path, run),
    now: () => systemClock.now(),
  });
  const keeper = new CheckpointKeeper({
    store,
    folder: join(paths.stateFolder, "checkpoints"),
    isEnabled: () => currentConfig().tools.checkpoints,
    now: () => systemClock.now(),
  });
  return {
    provenance,
    files: createFileAccess({ ...options, checkpoints: keepBoth(keeper, versions) }),
    checkpoints: { keeper, restoring: createFileAccess(options) },
    history: composeNoteHistory(versions, { files: createFileAccess({ ...options, checkpoints: versions }), currentConfig }),
  };
}

/** Each keeps the changes that it keeps; what neither does is not read. */
function keepBoth(one: FileCheckpoints, other: FileCheckpoints): FileCheckpoints {
  return {
    maxBytes: Math.max(one.maxBytes, other.maxBytes),
    keeps: (run) => one.keeps(run) || other.keeps(run),
    beforeChange: async (changes, run) => {
      for (const keeper of [one, other]) if (keeper.keeps(run)) await keeper.beforeChange(changes, run);
    },
  };
}
