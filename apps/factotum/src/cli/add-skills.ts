import { withoutUndefined } from "@factotum/agent-contract";
import type { Command } from "commander";
import type * as SkillCommands from "../commands/skills.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface AgentOptions {
  readonly agent?: string;
  readonly json?: boolean;
}

/** Skills: `factotum skills`. */
export function addSkills(program: Command, context: CliContext, finish: Finish): void {
  const skills = program.command("skills").description("list, install, check and remove skills");
  const load = async (): Promise<typeof SkillCommands> => import("../commands/skills.ts");
  const agent = ["--agent <id>", "the agent whose skills are meant; the default agent if omitted"] as const;
  skills
    .command("list")
    .description("list the skills of an agent: where each comes from, its version, and why others are left out")
    .option(...agent)
    .addOption(json())
    .action(async (options: AgentOptions) => finish(await (await load()).skillsList(context, { ...options, json: options.json === true })));
  skills
    .command("info")
    .description("show what a skill says of itself, what it needs and what the scan finds in it")
    .argument("<name>")
    .option(...agent)
    .addOption(json())
    .action(async (name: string, options: AgentOptions) =>
      finish(await (await load()).skillsInfo(context, name, { ...options, json: options.json === true })),
    );
  skills
    .command("install")
    .description("install a skill; shows what the scan finds, asks, and runs nothing of it")
    .argument("<source>", "a folder, a .zip, .tar or .tar.gz file, or a git repository with an optional #branch")
    .option("--path <folder>", "the skill's folder in the source, if it has several")
    .option("--replace", "replace an installed skill of this name")
    .option("--yes", "accept the findings, except severe ones")
    .addOption(json())
    .action(async (source: string, options: { path?: string; replace?: boolean; yes?: boolean; json?: boolean }) => {
      const { path, replace, yes } = options;
      const given = { yes: yes === true, replace: replace === true, json: options.json === true, ...withoutUndefined({ path }) };
      finish(await (await load()).skillsInstall(context, source, given));
    });
  skills
    .command("check")
    .description("check format and requirements of skills, and whether installed ones are as they were installed")
    .argument("[name]", "one skill; all if omitted")
    .option(...agent)
    .addOption(json())
    .action(async (name: string | undefined, options: AgentOptions) =>
      finish(await (await load()).skillsCheck(context, name, { ...options, json: options.json === true })),
    );
  const switches = [
    ["enable", "have agents use a skill that was switched off", true],
    ["disable", "switch a skill off for all agents; its files stay", false],
  ] as const;
  for (const [name, description, isOn] of switches) {
    skills
      .command(name)
      .description(description)
      .argument("<name>")
      .addOption(json())
      .action(async (named: string, options: { json?: boolean }) =>
        finish(await (await load()).skillsSwitch(context, named, { isOn, json: options.json === true })),
      );
  }
  skills
    .command("remove")
    .description("remove an installed skill")
    .argument("<name>")
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) =>
      finish(await (await load()).skillsRemove(context, name, { json: options.json === true })),
    );
}
