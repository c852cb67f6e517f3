import { join } from "node:path";
import type { FileProvenance } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import { CheckpointKeeper, createFileProvenance, type CheckpointPorts } from "@factotum/gateway";
import type { Store } from "@factotum/store";
import { createFileAccess, type FileAccess } from "@factotum/tools";
import { systemClock } from "../runtime/system-clock.ts";
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
}

/** The file access of tools, the reading of files that the owner names, the provenance of text in files, and checkpoints. */
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
  const keeper = new CheckpointKeeper({
    store,
    folder: join(paths.stateFolder, "checkpoints"),
    isEnabled: () => currentConfig().tools.checkpoints,
    now: () => systemClock.now(),
  });
  return {
    provenance,
    files: createFileAccess({ ...options, checkpoints: keeper }),
    checkpoints: { keeper, restoring: createFileAccess(options) },
  };
}
