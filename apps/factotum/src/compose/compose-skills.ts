import { join } from "node:path";
import type { Logger } from "@factotum/agent-contract";
import type { FactotumConfig, StatePaths } from "@factotum/config";
import { createSkillIndex, type SkillCatalogue, type SkillFolders } from "@factotum/skills";
import { assetPath } from "../runtime/assets.ts";
import type { CliContext } from "../runtime/cli-context.ts";

/** The folder of an agent's own skills. */
export function agentSkillsFolder({ home }: Pick<StatePaths, "home">, agentId: string): string {
  return join(home, "agents", agentId, "skills");
}

/** The folders of skills outside the workspaces. */
function skillFolders(paths: StatePaths, { skills }: Pick<FactotumConfig, "skills">): SkillFolders {
  return {
    personalFolder: join(paths.userHome, ".agents", "skills"),
    agentFolder: (agentId) => agentSkillsFolder(paths, agentId),
    managedFolder: paths.skillsFolder,
    bundledFolder: assetPath("skills"),
    extraFolders: skills.load.extraDirs,
  };
}

/** The folders whose files can change while the gateway runs, those of all agents included. */
export function changingSkillFolders(paths: StatePaths, config: Pick<FactotumConfig, "skills" | "agents">): readonly string[] {
  return [
    join(paths.userHome, ".agents", "skills"),
    ...config.agents.map(({ id }) => agentSkillsFolder(paths, id)),
    paths.skillsFolder,
    ...config.skills.load.extraDirs,
  ];
}

/** The index of a configuration. `commandFolders`: slash commands of packages. */
export function composeSkillIndex(
  config: FactotumConfig,
  { env, platform, paths }: Pick<CliContext, "env" | "platform" | "paths">,
  logger: Logger,
  commandFolders: readonly string[] = [],
): SkillCatalogue {
  return createSkillIndex({
    ...skillFolders(paths, config),
    commandFolders,
    entries: config.skills.entries,
    host: { platform, env, isConfigured: (key) => isSet(config, key.split(".")) },
    logger,
  });
}

/** True if a key of the configuration has a value other than false, null and "". */
function isSet(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null && value !== false && value !== "";
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) && isSet((value as Record<string, unknown>)[key], rest);
}
