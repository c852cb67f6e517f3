import { join } from "node:path";
import type { RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import { createFileProvenance, inboundMediaFolder } from "@factotum/gateway";
import type { Store } from "@factotum/store";
import { createFileAccess, type FileAccess, type FileRoot } from "@factotum/tools";
import { assetPath } from "../runtime/assets.ts";

/** What file access is made with beside the paths. */
interface FileAccessParts {
  readonly store: Store;
  readonly currentConfig: () => FactotumConfig;
}

/** Where tools may go, what the owner names by its path is read from, and which text in files came from tainted turns. */
export function composeFileAccess({ paths, path: configPath }: LoadedConfig, { store, currentConfig }: FileAccessParts): FileAccess {
  const [bundledSkills, documentation] = [assetPath("skills"), assetPath("documentation")];
  const skillFolders = (): readonly string[] => [bundledSkills, paths.skillsFolder, ...currentConfig().skills.load.extraDirs];
  // A run that works in a folder of its session reads the skills of its agent where they are.
  const workspaceSkills = ({ agentId }: RunFacts): readonly string[] =>
    currentConfig().agents.flatMap(({ id, workspace }) => (id === agentId ? [join(workspace, "skills")] : []));
  const roots = (run: RunFacts): readonly FileRoot[] => [
    ...[...skillFolders(), ...workspaceSkills(run)].map((path) => ({ type: "skills" as const, path })),
    { type: "documentation", path: documentation },
    // What the owner opened is open to the owner: nobody else's turn reads it.
    ...(run.owner ? currentConfig().tools.fs.roots.map((path) => ({ type: "owner" as const, path, writable: false })) : []),
    { type: "media", path: inboundMediaFolder(paths.home, run.sessionId) },
  ];
  const provenance = createFileProvenance({ store, places: () => ({ agents: currentConfig().agents, skillFolders: skillFolders() }) });
  return createFileAccess({ roots, home: paths.home, protectedPaths: [configPath], userHome: paths.userHome, provenance });
}
