import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig, StatePaths } from "@factotum/config";
import { inboundMediaFolder } from "@factotum/gateway";
import { WORKSPACE_SKILL_FOLDERS } from "@factotum/skills";
import type { FileRoot } from "@factotum/tools";
import { assetPath } from "../runtime/assets.ts";
import { agentSkillsFolder, changingSkillFolders } from "./compose-skills.ts";

/** The folders that a run reads in addition to its workspace, for file tools and for the sandbox alike. */
export interface RunRoots {
  /** All but those in workspaces. */
  readonly skillFolders: () => readonly string[];
  readonly rootsOf: (run: RunFacts) => readonly FileRoot[];
}

/** Reads the configuration at each use. */
export function createRunRoots(paths: StatePaths, currentConfig: () => FactotumConfig): RunRoots {
  const [bundledSkills, documentation] = [assetPath("skills"), assetPath("documentation")];
  const sharedSkills = (): readonly string[] => [
    bundledSkills,
    paths.skillsFolder,
    join(paths.userHome, ".agents", "skills"),
    ...currentConfig().skills.load.extraDirs,
  ];
  // A run that works in a folder of its own reads its agent's skills from the agent's workspace.
  const skillsOf = (run: RunFacts): readonly string[] =>
    currentConfig().agents.flatMap(({ id, workspace }) =>
      id === run.agentId ? [...workspaceSkills(workspace, run), agentSkillsFolder(paths, id)] : [],
    );
  return {
    skillFolders: () => [bundledSkills, ...changingSkillFolders(paths, currentConfig())],
    rootsOf: (run) => [
      ...[...sharedSkills(), ...skillsOf(run)].map((path) => ({ type: "skills" as const, path })),
      { type: "documentation", path: documentation },
      // Roots of the owner are open in the owner's turns only.
      ...(run.owner ? currentConfig().tools.fs.roots.map((path) => ({ type: "owner" as const, path, writable: false })) : []),
      { type: "media", path: inboundMediaFolder(paths.home, run.sessionId) },
    ],
  };
}

/** A command in a sandbox may have put a link in place of the skills of a workspace: for sandboxed runs such a link leads nowhere. */
function workspaceSkills(workspace: string, { sandbox }: RunFacts): readonly string[] {
  const folders = WORKSPACE_SKILL_FOLDERS.map((folder) => join(workspace, folder));
  return sandbox === undefined ? folders : folders.filter((folder) => hasNoLink(folder, workspace));
}

function hasNoLink(folder: string, workspace: string): boolean {
  if (folder === workspace) return true;
  return hasNoLink(dirname(folder), workspace) && lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
