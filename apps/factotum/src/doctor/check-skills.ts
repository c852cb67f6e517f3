import type { FactotumConfig } from "@factotum/config";
import { commandClashes, RESERVED_COMMANDS } from "@factotum/gateway";
import { composeSkillIndex } from "../compose/compose-skills.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { ok, type Finding } from "./finding.ts";

/** A log for checks: what it would say is a finding. */
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => SILENT };

/** Broken skills and commands, names that a built-in command has, and keys that no skill is given. */
export async function checkSkills(
  config: FactotumConfig,
  context: Pick<CliContext, "env" | "platform" | "paths" | "signal">,
): Promise<Finding[]> {
  const index = composeSkillIndex(config, context, SILENT);
  const findings: Finding[] = [];
  const add = (message: string, fix: string): void => {
    if (!findings.some((finding) => finding.message === message)) findings.push({ check: "skills", level: "warning", message, fix });
  };
  const known = new Map<string, { readonly primaryEnv: boolean }>();
  for (const { id, workspace } of config.agents) {
    const place = { workspace, agentId: id, signal: context.signal };
    const { found, problems } = await index.scan(place);
    const { commands, problems: unusable } = await index.commands(place);
    for (const { type, path, message } of problems)
      if (type === "broken") add(`The skill ${path} is left out: ${message}`, "Correct the file, or remove it.");
    for (const { path, message } of unusable) add(`The command ${path} is left out: ${message}`, "Correct the file, or remove it.");
    for (const { name, requirements } of found)
      known.set(requirements.settingsKey ?? name, { primaryEnv: requirements.primaryEnv !== undefined });
    for (const name of commandClashes(
      commands.map((command) => command.name),
      RESERVED_COMMANDS,
    ))
      add(`The command ${name} of the workspace ${workspace} cannot be used: /${name} is a built-in command.`, "Rename its file.");
    for (const name of commandClashes(
      found.map((skill) => skill.name),
      RESERVED_COMMANDS,
    ))
      add(`The skill ${name} has no command of its own: /${name} is a built-in command.`, `Use /skill ${name}, or rename the skill.`);
  }
  for (const [name, { apiKey }] of Object.entries(config.skills.entries)) {
    const skill = known.get(name);
    if (skill === undefined)
      add(`skills.entries has settings for ${name}, and there is no such skill.`, "Correct the name, or remove them.");
    else if (apiKey !== undefined && !skill.primaryEnv)
      add(`The key of the skill ${name} is given to nothing: its SKILL.md names no primaryEnv.`, `Use skills.entries.${name}.env instead.`);
  }
  return findings.length === 0 ? [ok("skills", `${known.size} found`)] : findings;
}
