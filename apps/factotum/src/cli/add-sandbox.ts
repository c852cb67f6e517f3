import { Option } from "commander";
import type { Command } from "commander";
import type * as SandboxCommands from "../commands/sandbox.ts";
import type * as WorkspaceCommands from "../commands/sandbox-workspaces.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { age, json } from "./options.ts";

/** The sandbox of commands: `factotum sandbox`. */
export function addSandbox(program: Command, context: CliContext, finish: Finish): void {
  const sandbox = program.command("sandbox").description("the sandbox of commands: explain it, list and remove its workspaces");
  const load = async (): Promise<typeof SandboxCommands> => import("../commands/sandbox.ts");
  const loadWorkspaces = async (): Promise<typeof WorkspaceCommands> => import("../commands/sandbox-workspaces.ts");
  sandbox
    .command("explain")
    .description("say where the commands of a session run and why, and what they can reach")
    .option("--session <key>", "the session; the default agent's main session by default")
    .addOption(json())
    .action(async (options: { session?: string; json?: boolean }) =>
      finish(await (await load()).sandboxExplain(context, { ...options, json: options.json === true })),
    );
  sandbox
    .command("list")
    .description("list the workspaces of sandboxes, last changed first")
    .addOption(json())
    .action(async (options: { json?: boolean }) =>
      finish(await (await loadWorkspaces()).sandboxList(context, { json: options.json === true })),
    );
  sandbox
    .command("prune")
    .description("delete workspaces of sandboxes in which nothing has changed for a time, with their files")
    .addOption(new Option("--older-than <age>", "nothing has changed for this long, such as 30d").argParser(age).makeOptionMandatory())
    .option("--yes", "do not ask")
    .addOption(json())
    .action(async (options: { olderThan: number; yes?: boolean; json?: boolean }) =>
      finish(
        await (
          await loadWorkspaces()
        ).sandboxPrune(context, { olderThanMs: options.olderThan, yes: options.yes === true, json: options.json === true }),
      ),
    );
}
