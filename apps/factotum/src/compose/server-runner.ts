import { dirname, relative } from "node:path";
import type { Clock, CommandRequest, CommandRunner, Logger, Random } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import { createHostRunner, type HostRunner, type SandboxSpec } from "@factotum/sandbox";
import { deploymentOf, extensionsFolder } from "../extensions/project-folders.ts";
import { assetPath } from "../runtime/assets.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { createOpenCommandProxy } from "./command-proxy.ts";
import { openSandbox } from "./open-sandbox.ts";
import type { RunRoots } from "./run-roots.ts";
import { sandboxSpec } from "./sandbox-spec.ts";

/** Variables of the gateway that a server gets in addition to those of its settings. */
const PASSED = ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "SHELL"];

interface ServerRunnerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly currentConfig: () => FactotumConfig;
}

/** The runner of local MCP servers or language servers, apart from commands, so that neither takes the memory of the other. `recordFolder` is used by this process alone. */
export function createServerHost(
  { env }: Pick<CliContext, "env">,
  { clock, random, logger, currentConfig, recordFolder }: ServerRunnerParts & { readonly recordFolder: string },
): HostRunner {
  return createHostRunner({
    clock,
    random,
    logger,
    recordFolder,
    baseEnv: Object.fromEntries(PASSED.map((name) => [name, env[name]])),
    limits: () => {
      const { maxProcesses, maxMemoryMb } = currentConfig().tools.exec;
      return { maxProcesses, maxMemoryBytes: maxMemoryMb * 1024 ** 2 };
    },
  });
}

/** Puts servers into the sandboxes that their run facts name; others run on the host. */
export function createServerRunner(
  context: Pick<CliContext, "env" | "paths" | "platform">,
  loaded: Pick<LoadedConfig, "path">,
  { roots, currentConfig, host, ...system }: ServerRunnerParts & { readonly roots: RunRoots; readonly host: HostRunner },
): CommandRunner {
  const hidden = [context.paths.home, loaded.path];
  return openSandbox(context, {
    ...system,
    host,
    // The runner of commands removes what a killed gateway left.
    ownsContainers: false,
    // eslint-disable-next-line typescript/require-await -- the interface of sandboxes
    sandboxOf: async (run, request): Promise<SandboxSpec | undefined> => {
      const spec = sandboxSpec(run, request, { config: currentConfig(), roots: roots.rootsOf(run), hidden });
      const hosts = run.sandbox?.network;
      if (spec === undefined) return undefined;
      // Its folder holds the server's program.
      const isInWorkspace = !relative(run.workspace, request.cwd).startsWith("..");
      const shown = [...(isInWorkspace ? [] : [request.cwd]), ...packageFolders(request, context)];
      const readOnly = [...spec.readOnly, ...shown];
      return { ...spec, readOnly, ...(hosts === undefined ? {} : { network: { hosts: () => hosts } }) };
    },
    network: { openProxy: createOpenCommandProxy(system), node: process.execPath },
  });
}

/** The installed packages, for a server that one of them brings: its program and what it depends on. */
function packageFolders({ command }: CommandRequest, { paths }: Pick<CliContext, "paths">): readonly string[] {
  // Servers are shell text, in which every word of their settings is quoted.
  const words = command.type === "argv" ? [command.file, ...command.args] : command.text.split("'");
  const places = [extensionsFolder(paths), deploymentOf(dirname(assetPath("package.json")))].filter((place) => place !== undefined);
  const folders = words.flatMap((word) => {
    const folder = /^(.+?\/node_modules)\//.exec(word)?.[1];
    return folder !== undefined && places.some((place) => folder.startsWith(`${place}/`)) ? [folder] : [];
  });
  return [...new Set(folders)];
}
