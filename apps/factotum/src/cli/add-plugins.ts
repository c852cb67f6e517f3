import type { Command } from "commander";
import type * as PluginCommands from "../commands/plugins.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface ChangeOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

const load = async (): Promise<typeof PluginCommands> => import("../commands/plugins.ts");

/** Extension packages: `factotum plugins`. */
export function addPlugins(program: Command, context: CliContext, finish: Finish): void {
  const plugins = program.command("plugins").description("install, list and remove extension packages");
  const changes = [
    ["add", "install a package: a folder, a tarball, name@version, or one of the release's list", "pluginsAdd"],
    ["update", "replace an installed package by another version", "pluginsUpdate"],
  ] as const;
  for (const [name, description, run] of changes) {
    plugins
      .command(name)
      .description(description)
      .argument("<spec>", "such as ./pigeon, pigeon-1.0.0.tgz or pigeon@1.0.0")
      .option("--yes", "confirm its permissions")
      .addOption(json())
      .action(async (spec: string, options: ChangeOptions) => {
        finish(await (await load())[run](context, spec, { yes: options.yes === true, json: options.json === true }));
      });
  }
  plugins
    .command("remove")
    .description("remove an installed package; refused while one of its channels is configured")
    .argument("<name>", "the package, or a channel of it")
    .option("--force", "remove it although a channel of it is configured")
    .addOption(json())
    .action(async (name: string, options: { force?: boolean; json?: boolean }) =>
      finish(await (await load()).pluginsRemove(context, name, { force: options.force === true, json: options.json === true })),
    );
  const switches = [
    ["enable", "use the plugins and servers of a package", true],
    ["disable", "use the plugins and servers of a package no longer; it stays, with its settings", false],
  ] as const;
  for (const [name, description, isOn] of switches) {
    plugins
      .command(name)
      .description(description)
      .argument("<name>", "the package")
      .addOption(json())
      .action(async (named: string, options: { json?: boolean }) =>
        finish(await (await load()).pluginsSwitch(context, named, { isOn, json: options.json === true })),
      );
  }
  plugins
    .command("list")
    .description("list the built-in and the installed packages")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).pluginsList(context, { json: options.json === true })));
  plugins
    .command("doctor")
    .description("check the installed packages, and load those of configured channels")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).pluginsDoctor(context, { json: options.json === true })));
}
