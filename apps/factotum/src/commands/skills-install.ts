import { withoutUndefined } from "@factotum/agent-contract";
import { installStaged, parseSkillSource, removeInstalled, SkillInstallError, stageSkill, type StagedSkill } from "@factotum/skills";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { describeFinding, refusedBySeverity } from "./skill-findings.ts";

/** How a skill is installed. */
interface SkillInstallOptions {
  /** The skill's folder in the source. */
  readonly path?: string;
  readonly replace: boolean;
  /** Findings are accepted, except severe ones. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** Installs a skill after its findings are accepted. Runs nothing of it; without a change on any failure. */
export async function skillsInstall(context: CliContext, written: string, options: SkillInstallOptions): Promise<number> {
  const { paths, env, signal } = context;
  return asCliErrors(async () => {
    const source = await parseSkillSource(written, { folder: process.cwd() });
    const folder = paths.skillsFolder;
    await using staged = await stageSkill(source, { folder, env, signal, ...withoutUndefined({ path: options.path }) });
    await acceptFindings(context, staged, options);
    const entry = await installStaged(folder, staged, { source: written, nowMs: Date.now(), replaces: options.replace });
    if (options.json) printJson(context, { installed: entry, warnings: staged.skill.warnings, findings: staged.findings });
    else {
      context.print(`${entry.name} is installed in ${folder}.\n`);
      for (const warning of staged.skill.warnings) context.note(terminalText(`! it ${warning}\n`));
      context.note("New conversations use it at once; others after /new. Its state: factotum skills list\n");
    }
    return EXIT.ok;
  });
}

/** Removes an installed skill. */
export async function skillsRemove(context: CliContext, name: string, { json }: { readonly json: boolean }): Promise<number> {
  return asCliErrors(async () => {
    const { name: removed } = await removeInstalled(context.paths.skillsFolder, name);
    if (json) printJson(context, { removed });
    else context.print(`${removed} is removed.\n`);
    return EXIT.ok;
  });
}

/** Shows the findings and asks. A severe one needs a person who says yes. Rejects with a CliError if they are not accepted. */
async function acceptFindings(context: CliContext, { skill, findings }: StagedSkill, { yes, json }: SkillInstallOptions): Promise<void> {
  const { name, description } = skill;
  context.note(terminalText(`${name}: ${description}\n`));
  for (const finding of findings) context.note(terminalText(`${describeFinding(finding)}\n`));
  const severe = findings.filter(({ severity }) => severity === "severe").length;
  if (findings.length === 0) context.note("The scan found nothing. It does not prove that a skill is harmless: read its SKILL.md.\n");
  if (yes && severe === 0) return;
  const question =
    severe > 0 ? `Install ${name} although ${severe === 1 ? "a finding is" : `${severe} findings are`} severe?` : `Install ${name}?`;
  const ask = json ? undefined : context.confirm;
  if (ask !== undefined) {
    if (await ask(question)) return;
    throw new CliError("failure", `${name} was not installed.`, { fix: "Nothing was changed." });
  }
  throw severe > 0
    ? refusedBySeverity(name, findings)
    : new CliError("usage", `${name} was not installed: nobody was asked.`, { fix: "Add --yes." });
}

async function asCliErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillInstallError) throw new CliError("failure", error.message, { fix: error.fix, cause: error });
    throw error;
  }
}
