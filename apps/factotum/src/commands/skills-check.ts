import { checkPin, readLock, SkillInstallError } from "@factotum/skills";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { scanSkills } from "./scan-skills.ts";

/** A problem of one skill. `error`: it cannot be used, or is not what was installed; `warning`: it can be used. */
interface SkillIssue {
  readonly skill: string;
  readonly level: "error" | "warning";
  readonly message: string;
}

const PIN_MESSAGES = {
  changed: "is not as it was installed: its files have changed; install it again with --replace, or remove it",
  missing: "is in the lock file, but its folder is gone; install it again, or remove it",
} as const;

/** Checks the skills of an agent: format, requirements, and pins of installed ones. Fails if one has an error. */
export async function skillsCheck(
  context: CliContext,
  name: string | undefined,
  options: { readonly agent?: string; readonly json: boolean },
): Promise<number> {
  const { scan } = await scanSkills(context, options.agent);
  const lock = await lockOf(context);
  const all: SkillIssue[] = [];
  for (const entry of lock.values()) {
    const state = await checkPin(context.paths.skillsFolder, entry);
    if (state !== "unchanged") all.push({ skill: entry.name, level: "error", message: PIN_MESSAGES[state] });
  }
  for (const { type, path, message, name: skill } of scan.problems) {
    if (type === "broken") all.push({ skill: skill ?? path, level: "error", message });
    else all.push({ skill: skill ?? path, level: "warning", message });
  }
  for (const { name: skill, warnings } of scan.found) for (const message of warnings) all.push({ skill, level: "warning", message });
  const isKnown =
    name === undefined || lock.has(name) || scan.found.some((skill) => skill.name === name) || all.some(({ skill }) => isOf(skill, name));
  if (!isKnown)
    throw new CliError("failure", `There is no skill ${JSON.stringify(name)}.`, { fix: "List the skills with: factotum skills list" });
  const issues = name === undefined ? all : all.filter(({ skill }) => isOf(skill, name));
  const isBad = issues.some(({ level }) => level === "error");
  if (options.json)
    printJson(context, { ok: !isBad, checked: name === undefined ? scan.found.map((skill) => skill.name) : [name], issues });
  else if (issues.length === 0) context.print("No problems found.\n");
  else
    for (const { skill, level, message } of issues)
      context.print(
        terminalText(`${level === "error" ? "ERROR  " : "warning"}  ${message.startsWith(`${skill} `) ? "" : `${skill}: `}${message}\n`),
      );
  return isBad ? EXIT.failure : EXIT.ok;
}

/** A broken file has no name but its path. */
function isOf(skill: string, name: string): boolean {
  return skill === name || skill.endsWith(`/${name}/SKILL.md`);
}

async function lockOf({ paths }: CliContext): ReturnType<typeof readLock> {
  try {
    return await readLock(paths.skillsFolder);
  } catch (error) {
    if (error instanceof SkillInstallError) throw new CliError("failure", error.message, { fix: error.fix, cause: error });
    throw error;
  }
}
