import { join } from "node:path";
import type { RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import { CheckpointKeeper, createFileProvenance, inboundMediaFolder, type CheckpointPorts } from "@factotum/gateway";
import type { Store } from "@factotum/store";
import { createFileAccess, type FileAccess, type FileRoot } from "@factotum/tools";
import { WORKSPACE_SKILL_FOLDERS } from "@factotum/skills";
import { assetPath } from "../runtime/assets.ts";
import { agentSkillsFolder, changingSkillFolders } from "./compose-skills.ts";
import { systemClock } from "../runtime/system-clock.ts";

/** The dependencies of file access in addition to the paths. */
interface FileAccessParts {
  readonly store: Store;
  readonly currentConfig: () => FactotumConfig;
}

/** The access of tools, and what files held before turns changed them. */
export interface ComposedFileAccess {
  readonly files: FileAccess;
  readonly checkpoints: CheckpointPorts;
}

/** The file access of tools, the reading of files that the owner names, the provenance of text in files, and checkpoints. */
export function composeFileAccess(
  { paths, path: configPath }: LoadedConfig,
  { store, currentConfig }: FileAccessParts,
): ComposedFileAccess {
  const [bundledSkills, documentation] = [assetPath("skills"), assetPath("documentation")];
  // A run that works in a session folder reads its agent's skills from the workspace.
  const skillsOf = ({ agentId }: RunFacts): readonly string[] =>
    currentConfig().agents.flatMap(({ id, workspace }) =>
      id === agentId ? [...WORKSPACE_SKILL_FOLDERS.map((folder) => join(workspace, folder)), agentSkillsFolder(paths, id)] : [],
    );
  const sharedSkills = (): readonly string[] => [
    bundledSkills,
    paths.skillsFolder,
    join(paths.userHome, ".agents", "skills"),
    ...currentConfig().skills.load.extraDirs,
  ];
  const roots = (run: RunFacts): readonly FileRoot[] => [
    ...[...sharedSkills(), ...skillsOf(run)].map((path) => ({ type: "skills" as const, path })),
    { type: "documentation", path: documentation },
    // Roots of the owner are open in the owner's turns only.
    ...(run.owner ? currentConfig().tools.fs.roots.map((path) => ({ type: "owner" as const, path, writable: false })) : []),
    { type: "media", path: inboundMediaFolder(paths.home, run.sessionId) },
  ];
  const provenance = createFileProvenance({
    store,
    places: () => ({ agents: currentConfig().agents, skillFolders: [bundledSkills, ...changingSkillFolders(paths, currentConfig())] }),
  });
  const options = { roots, home: paths.home, protectedPaths: [configPath], userHome: paths.userHome, provenance };
  const keeper = new CheckpointKeeper({
    store,
    folder: join(paths.stateFolder, "checkpoints"),
    isEnabled: () => currentConfig().tools.checkpoints,
    now: () => systemClock.now(),
  });
  return {
    files: createFileAccess({ ...options, checkpoints: keeper }),
    checkpoints: { keeper, restoring: createFileAccess(options) },
  };
}
