import { stat } from "node:fs/promises";
import { join } from "node:path";
import { scanSkill, type SkillFinding } from "@factotum/skills";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { describeFinding } from "./skill-findings.ts";

/** Shows what the scan finds in the skills and commands of a package, as for a skill that is installed alone. Resolves with the severe findings. Rejects with a CliError without the folder. */
export async function showSkillFindings(
  context: CliContext,
  { name, provides }: ExtensionManifest,
  folder: string,
): Promise<readonly SkillFinding[]> {
  const severe: SkillFinding[] = [];
  for (const one of provides) {
    if (one.type !== "skills" && one.type !== "prompts") continue;
    const skills = join(folder, one.path);
    const stats = await stat(skills).catch(() => undefined);
    if (stats?.isDirectory() !== true)
      throw new CliError("failure", `${name} cannot be installed: it has no folder ${one.path}, where its ${one.type} should be.`, {
        fix: "Nothing was changed.",
      });
    const findings = await scanSkill(skills, context);
    for (const finding of findings) context.note(terminalText(`${describeFinding(finding)}\n`));
    severe.push(...findings.filter(({ severity }) => severity === "severe"));
  }
  return severe;
}
