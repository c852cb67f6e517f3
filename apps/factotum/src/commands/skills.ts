import { withoutUndefined } from "@factotum/agent-contract";
import { readLock, scanSkill, type FoundSkill } from "@factotum/skills";
import { dirname } from "node:path";
import { skillNeeds, skillState, type AgentSkills } from "../compose/skill-scan.ts";
import { settingsKey, switchSkill } from "../compose/switch-skill.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";
import { describeFinding } from "./skill-findings.ts";
import { scanSkills } from "./scan-skills.ts";

export { skillsCheck } from "./skills-check.ts";
export { skillsInstall, skillsRemove } from "./skills-install.ts";

/** Which agent, and how the result is printed. */
export interface SkillListOptions {
  readonly agent?: string;
  readonly json: boolean;
}

/** Lists the skills of an agent, and those that are left out. */
export async function skillsList(context: CliContext, options: SkillListOptions): Promise<number> {
  const found = await scanSkills(context, options.agent);
  const { scan, agentId } = found;
  const installed = await readLock(context.paths.skillsFolder);
  const rows = scan.found.map((skill) => ({
    name: skill.name,
    source: skill.source,
    version: skill.version,
    path: skill.path,
    installedFrom: skill.source === "managed" ? (installed.get(skill.name)?.source ?? null) : null,
    state: stateOf(skill, found),
  }));
  const broken = scan.problems.filter(({ type, name }) => type === "broken" || (type === "shadowed" && name !== undefined));
  if (options.json) {
    printJson(context, { agent: agentId, skills: rows, problems: broken });
    return EXIT.ok;
  }
  const table = rows.map(({ name, source, version, state }) => [name, source, version, state]);
  context.print(terminalText(renderTable(["SKILL", "SOURCE", "VERSION", "STATE"], table)));
  for (const { path, message } of broken) context.print(terminalText(`! ${path}: ${message}\n`));
  return EXIT.ok;
}

/** Shows one skill of an agent. */
export async function skillsInfo(context: CliContext, name: string, options: SkillListOptions): Promise<number> {
  const all = await scanSkills(context, options.agent);
  const { scan, entries } = all;
  const skill = scan.found.find((found) => found.name === name);
  if (skill === undefined) {
    const broken = scan.problems.find((problem) => problem.type === "broken" && problem.path.includes(`/${name}/`));
    throw new CliError(
      "failure",
      broken === undefined ? `There is no skill ${JSON.stringify(name)}.` : `${broken.path}: ${broken.message}`,
      {
        fix: "List the skills with: factotum skills list",
      },
    );
  }
  const { requirements, warnings, path, ...facts } = skill;
  const pin = skill.source === "managed" ? (await readLock(context.paths.skillsFolder)).get(name) : undefined;
  const findings = await scanSkill(dirname(path), context);
  const state = stateOf(skill, all);
  const settings = entries[settingsKey(skill)];
  const keys = settings === undefined ? [] : [...Object.keys(settings.env), ...(settings.apiKey === undefined ? [] : ["apiKey"])];
  if (options.json) {
    printJson(context, {
      ...facts,
      path,
      state,
      requirements,
      warnings,
      settings: keys,
      ...withoutUndefined({ installed: pin }),
      findings,
    });
    return EXIT.ok;
  }
  const needs = skillNeeds(skill)
    .map(([label, values]) => `${label} ${values.join(", ")}`)
    .join("; ");
  const lines = [
    ["name", skill.name],
    ["description", skill.description],
    ["version", skill.version],
    ["file", path],
    ["source", skill.source],
    ["state", state],
    ["license", skill.license ?? ""],
    ["made for", skill.compatibility ?? ""],
    ["tools", skill.allowedTools.join(", ")],
    ["needs", needs],
    ["settings", keys.join(", ")],
    ["installed", pin === undefined ? "" : `${pin.installedAt} from ${pin.source}${pin.commit === undefined ? "" : ` at ${pin.commit}`}`],
    ["hash", pin?.hash ?? ""],
  ].filter(([, value]) => value !== "");
  context.print(terminalText(lines.map(([label = "", value = ""]) => `${label.padEnd(12)} ${value}\n`).join("")));
  for (const warning of warnings) context.print(terminalText(`! it ${warning}\n`));
  for (const finding of findings) context.print(terminalText(`${describeFinding(finding)}\n`));
  return EXIT.ok;
}

/** Whether a skill is offered, and to whom; otherwise why not. */
function stateOf(skill: FoundSkill, found: AgentSkills): string {
  const state = skillState(skill, found);
  switch (state.type) {
    case "people":
      return `only by /${skill.name}`;
    case "model":
      return "only by the model";
    case "ready":
      return "ready";
    default:
      return state.reason;
  }
}

/** Has agents use a skill, or use it no longer. */
export async function skillsSwitch(
  context: CliContext,
  name: string,
  { isOn, json }: { readonly isOn: boolean; readonly json: boolean },
): Promise<number> {
  const { scan } = await scanSkills(context, undefined);
  const skill = scan.found.find((one) => one.name === name);
  await switchSkill(context, skill === undefined ? name : settingsKey(skill), isOn);
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { name, enabled: isOn });
  else {
    context.print(terminalText(`${name} is ${isOn ? "on" : "off"}.\n`));
    if (skill === undefined) context.note(`The default agent has no skill ${JSON.stringify(name)}.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}
