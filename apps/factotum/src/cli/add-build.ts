import type { Command } from "commander";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Deployments for teams: `factotum build`. */
export function addBuild(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("build")
    .description("write a folder with the gateway and only these channels, for a server or a container")
    .requiredOption("--channels <list>", "ids of channels, or folders and tarballs of their packages, separated by commas")
    .option("--out <dir>", "a new or an empty folder, or one that this command has written", "factotum-deployment")
    .option("--browser", "with the library of the browser tool, about 8 MB more")
    .addOption(json())
    .action(async (options: { channels: string; out: string; browser?: true; json?: boolean }) => {
      const { build } = await import("../commands/build.ts");
      finish(await build(context, { ...options, browser: options.browser === true, json: options.json === true }));
    });
}
