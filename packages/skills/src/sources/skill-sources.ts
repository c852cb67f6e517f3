import { join } from "node:path";
import type { SkillSource } from "@factotum/agent-contract";

/** The folders of skills that do not belong to one workspace or agent. Absolute; a missing one is empty. */
export interface SkillFolders {
  /** `~/.agents/skills`, which other programs read too. Absent: none. */
  readonly personalFolder?: string;
  /** The folder of an agent's own skills. Absent: none. */
  readonly agentFolder?: (agentId: string) => string;
  /** `$FACTOTUM_HOME/skills`. */
  readonly managedFolder: string;
  /** The skills shipped with the product. */
  readonly bundledFolder?: string;
  /** `skills.load.extraDirs`, and the skills of plugins; for two skills with one name the earlier folder wins. */
  readonly extraFolders?: readonly string[];
}

/** One folder that skills are looked for in. */
export interface SkillRoot {
  readonly folder: string;
  readonly source: SkillSource;
}

/** The folders of skills inside a workspace, relative to it, highest precedence first. */
export const WORKSPACE_SKILL_FOLDERS: readonly string[] = ["skills", ".agents/skills"];

/** Where an agent's skills are looked for, highest precedence first. */
export function skillRoots(
  folders: SkillFolders,
  { workspace, agentId }: { readonly workspace: string; readonly agentId: string },
): SkillRoot[] {
  const { personalFolder, agentFolder, managedFolder, bundledFolder, extraFolders = [] } = folders;
  const roots: (SkillRoot | undefined)[] = [
    { folder: join(workspace, "skills"), source: "workspace" },
    { folder: join(workspace, ".agents/skills"), source: "project" },
    optional(personalFolder, "personal"),
    optional(agentFolder?.(agentId), "agent"),
    { folder: managedFolder, source: "managed" },
    optional(bundledFolder, "bundled"),
    ...extraFolders.map((folder): SkillRoot => ({ folder, source: "extra" })),
  ];
  return roots.filter((root) => root !== undefined);
}

function optional(folder: string | undefined, source: SkillSource): SkillRoot | undefined {
  return folder === undefined ? undefined : { folder, source };
}
