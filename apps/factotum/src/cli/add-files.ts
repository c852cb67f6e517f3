import { withoutUndefined } from "@factotum/agent-contract";
import type { Command } from "commander";
import type * as FileCommands from "../commands/files.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";
import { addWrite, writeOptions, type WriteFlags } from "./add-write.ts";

interface Common {
  readonly agent?: string;
  readonly json?: boolean;
}

/** The files of an agent's workspace: `factotum files`. */
export function addFiles(program: Command, context: CliContext, finish: Finish): void {
  const files = program
    .command("files")
    .description("who an agent is (SOUL.md, USER.md, …) with history, and files that it can look things up in");
  const load = async (): Promise<typeof FileCommands> => import("../commands/files.ts");
  const optionsOf = ({ agent, json: asJson }: Common): FileCommands.FilesOptions => ({
    json: asJson === true,
    ...withoutUndefined({ agentId: agent }),
  });
  const add = (name: string, description: string): Command =>
    files.command(name).description(description).option("--agent <id>", "the agent; the default agent if omitted").addOption(json());
  add("list", "list the files: how much of every prompt each takes, and the knowledge files").action(async (options: Common) =>
    finish(await (await load()).filesList(context, optionsOf(options))),
  );
  add("show", "print a file, or one of its versions")
    .argument("<path>", "such as SOUL.md")
    .option("--version <id>", "the version, as versions lists it")
    .action(async (path: string, options: Common & { version?: string }) =>
      finish(await (await load()).filesShow(context, { ...optionsOf(options), path, ...withoutUndefined({ id: options.version }) })),
    );
  addWrite(add("write", "give a file a new text; what it held becomes a version").argument("<path>", "such as SOUL.md")).action(
    async (path: string, source: string | undefined, options: Common & WriteFlags) =>
      finish(await (await load()).filesWrite(context, { ...optionsOf(options), path, ...writeOptions(source, options) })),
  );
  add("versions", "list what a file held before its changes")
    .argument("<path>", "such as SOUL.md")
    .action(async (path: string, options: Common) => finish(await (await load()).filesVersions(context, { ...optionsOf(options), path })));
  add("restore", "give a file back what it held; its present text becomes a version")
    .argument("<path>", "such as SOUL.md")
    .argument("<id>", "the version, as versions lists it")
    .action(async (path: string, id: string, options: Common) =>
      finish(await (await load()).filesRestore(context, { ...optionsOf(options), path, id })),
    );
  add("add", "put files of this machine into the agent's folder knowledge, where it can read them")
    .argument("<file...>", "up to 20 MB each")
    .action(async (sources: string[], options: Common) =>
      finish(await (await load()).filesAdd(context, { ...optionsOf(options), sources })),
    );
  add("remove", "remove a file from the folder knowledge")
    .argument("<name>", "as list shows it")
    .action(async (name: string, options: Common) => finish(await (await load()).filesRemove(context, { ...optionsOf(options), name })));
}
