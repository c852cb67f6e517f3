import { withoutUndefined } from "@factotum/agent-contract";
import { readLock, scanSkill, type FoundSkill, type SkillProblem, type SkillScan } from "@factotum/skills";
import { dirname } from "node:path";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";
import { describeFinding } from "./skill-findings.ts";
import { scanSkills } from "./skill-scan.ts";

export { skillsCheck } from "./skills-check.ts";
export { skillsInstall, skillsRemove } from "./skills-install.ts";

/** Which agent, and how the result is printed. */
export interface SkillListOptions {
  readonly agent?: string;
  readonly json: boolean;
}

/** Lists the skills of an agent, and those that are left out. */
export async function skillsList(context: CliContext, options: SkillListOptions): Promise<number> {
  const { scan, agentId, knowsTools } = await scanSkills(context, options.agent);
  const installed = await readLock(context.paths.skillsFolder);
  const rows = scan.found.map((skill) => ({
    name: skill.name,
    source: skill.source,
    version: skill.version,
    path: skill.path,
    installedFrom: skill.source === "managed" ? (installed.get(skill.name)?.source ?? null) : null,
    state: stateOf(skill, scan, knowsTools),
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
  const { scan, entries, knowsTools } = await scanSkills(context, options.agent);
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
  const state = stateOf(skill, scan, knowsTools);
  const settings = entries[requirements.settingsKey ?? name];
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
  const needs = describeNeeds(skill);
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
function stateOf({ name, invocation, path, requirements }: FoundSkill, { problems }: SkillScan, knowsTools: boolean): string {
  const problem = problems.find((one: SkillProblem) => one.path === path && (one.type === "not-eligible" || one.type === "disabled"));
  if (problem !== undefined) return problem.message.startsWith(`${name} `) ? problem.message.slice(name.length + 1) : problem.message;
  if (!knowsTools && requirements.tools.length > 0)
    return `where the gateway has the tool ${requirements.tools.join(", ")}; it is not running`;
  if (invocation === "people") return `only by /${name}`;
  return invocation === "model" ? "only by the model" : "ready";
}

function describeNeeds({ requirements }: FoundSkill): string {
  const { os, bins, anyBins, env, config, tools } = requirements;
  const lists = [
    ["system", os],
    ["programs", bins],
    ["one of", anyBins],
    ["variables", env],
    ["settings", config],
    ["tools", tools],
  ] as const;
  return lists.flatMap(([label, values]) => (values.length === 0 ? [] : [`${label} ${values.join(", ")}`])).join("; ");
}
