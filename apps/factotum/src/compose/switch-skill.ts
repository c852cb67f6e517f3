import { changeConfig, formatProblem } from "@factotum/config";
import type { FoundSkill } from "@factotum/skills";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { configOptions } from "./extensions.ts";

/** The key of a skill in `skills.entries`. */
export function settingsKey({ name, requirements }: Pick<FoundSkill, "name" | "requirements">): string {
  return requirements.settingsKey ?? name;
}

/** Switches a skill on or off for all agents, by its key in `skills.entries`. Rejects with a `CliError` that says why the file was not changed. */
export async function switchSkill({ env }: Pick<CliContext, "env">, key: string, isOn: boolean): Promise<void> {
  const result = await changeConfig(() => [{ path: ["skills", "entries", key, "enabled"], value: isOn }], await configOptions(env));
  if (result.type !== "refused") return;
  throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
}
