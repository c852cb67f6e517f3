import { dirname, join } from "node:path";
import type { Clock, CommandRequest, Logger, Random, RunFacts, ToolSource } from "@factotum/agent-contract";
import type { ConfigProblem, FactotumConfig } from "@factotum/config";
import type { HookSource } from "@factotum/gateway";
import { PluginHost, type PluginHostOptions } from "@factotum/plugin-host";
import { createHostRunner, type SandboxSpec } from "@factotum/sandbox";
import type { SqliteStore } from "@factotum/store";
import type { WebAccess } from "@factotum/tools";
import { stoppedHooks } from "../extensions/stopped-hooks.ts";
import { usablePlugins } from "../extensions/usable-plugins.ts";
import { assetPath } from "../runtime/assets.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { findInstalled } from "./extensions.ts";
import { endOrphans } from "./open-runner.ts";
import { openSandbox } from "./open-sandbox.ts";
import { keepRowsOf, pluginRows } from "./plugin-rows.ts";
import { redactTools } from "./redact-tools.ts";

/** Of all plugins together: four processes with 128 MB of heap each, and Node.js itself. */
const LIMITS = { maxProcesses: 64, maxMemoryBytes: 1024 ** 3 };
/** Of one plugin in its sandbox. */
const MAX_TASKS = 64;
const MAX_MEMORY_BYTES = 256 * 1024 ** 2;

const FETCH_MS = 30_000;

/** What Node.js may read is what the sandbox shows. */
const READABLE = "--allow-fs-read=";

/** The plugins of a gateway. */
export interface ComposedPlugins {
  /** Finds what is installed, and uses what this configuration allows. Resolves with what is wrong; runs no code of a package. */
  readonly load: (config: FactotumConfig) => Promise<readonly ConfigProblem[]>;
  /** Folders of slash commands of what was found last, absolute. */
  readonly commandFolders: () => readonly string[];
  readonly sources: () => readonly ToolSource[];
  readonly hooks: () => readonly HookSource[];
  /** The memory that a plugin is. */
  readonly memory: PluginHost["memory"];
  /** The routes that a plugin serves. */
  readonly routes: PluginHost["routes"];
  /** Answers with the models of a plugin. */
  readonly fetchModels: PluginHost["fetchModels"];
  readonly fetchEmbeddings: PluginHost["fetchEmbeddings"];
  /** Ends all plugins. */
  readonly close: () => Promise<void>;
}

interface PluginParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly store: SqliteStore;
  readonly web: Pick<WebAccess, "request">;
}

/** Prepares plugins, after ending those that a killed gateway left running. Nothing is started before the first call. */
export async function composePlugins(context: CliContext, { secrets, store, web, ...system }: PluginParts): Promise<ComposedPlugins> {
  const { env, paths } = context;
  const { logger } = system;
  const runner = createHostRunner({
    ...system,
    recordFolder: join(paths.stateFolder, "plugin-processes"),
    baseEnv: {},
    limits: () => LIMITS,
  });
  await endOrphans(runner, logger);
  const host = new PluginHost({
    ...system,
    ...openPluginSandbox(context, { ...system, host: runner }),
    node: process.execPath,
    program: assetPath("plugin-program"),
    rowsOf: (id) => pluginRows(store, id),
    fetch: publicFetch(web),
    readSecret: async (name) => {
      const value = env[name];
      if (value !== undefined && value !== "") secrets.add([value]);
      return value === "" ? undefined : value;
    },
    hideSecrets: (text) => secrets.hide(text),
    decorate: (tools) => redactTools(tools, secrets.toolOutput),
  });
  let commandFolders: readonly string[] = [];
  let refusals: readonly HookSource[] = [];
  return {
    load: async (config) => {
      const found = await findInstalled(env);
      ({ commandFolders } = found);
      const { plugins, stopped, problems } = await usablePlugins(found, config);
      host.apply(plugins);
      refusals = stoppedHooks(stopped);
      // The plugins of a package that cannot be read are not known.
      if (found.problems.length === 0)
        await keepRowsOf(store, new Set(found.plugins.map(({ id }) => id))).catch((error: unknown) =>
          logger.warn("The state of removed plugins could not be removed", { error }),
        );
      return problems;
    },
    commandFolders: () => commandFolders,
    sources: () => host.sources(),
    hooks: () => [...host.hooks(), ...refusals],
    memory: (id) => host.memory(id),
    routes: (id) => host.routes(id),
    fetchModels: (id, init) => host.fetchModels(id, init),
    fetchEmbeddings: (id, init) => host.fetchEmbeddings(id, init),
    close: async () => {
      await host.close();
      await runner.close();
    },
  };
}

/** Puts the processes of plugins into bubblewrap where that works: it shows them what they may read, and no network. */
function openPluginSandbox(
  context: CliContext,
  options: Pick<PluginParts, "clock" | "random" | "logger"> & { readonly host: PluginHostOptions["runner"] },
): Pick<PluginHostOptions, "runner" | "whyNoPrograms"> {
  let isUsable: Promise<boolean> | undefined;
  const isSandboxed = async (): Promise<boolean> => {
    isUsable ??= sandbox.backend({ backend: "bubblewrap", image: "" }).then(({ type }) => type === "ready");
    return isUsable;
  };
  const sandbox = openSandbox(context, {
    ...options,
    ownsContainers: false,
    sandboxOf: async ({ workspace }: RunFacts, request: CommandRequest): Promise<SandboxSpec | undefined> => {
      if (!(await isSandboxed()) || request.command.type !== "argv") return undefined;
      const { file, args } = request.command;
      const readable = args.flatMap((word) => (word.startsWith(READABLE) ? [word.slice(READABLE.length)] : []));
      return {
        backend: "bubblewrap",
        image: "",
        workspace: { path: workspace, writable: false },
        readOnly: [...readable, dirname(file)],
        hidden: [context.paths.home],
        maxTasks: MAX_TASKS,
        maxMemoryBytes: MAX_MEMORY_BYTES,
      };
    },
  });
  return { runner: sandbox, whyNoPrograms: async () => whyNoPrograms({ isSandboxed: await isSandboxed(), userId: process.getuid?.() }) };
}

/**
 * Why a plugin's programs have no bounds. Without bubblewrap they have the gateway's authority. The kernel limits the number of an account's processes, and not of
 * root's.
 */
export function whyNoPrograms({
  isSandboxed,
  userId,
}: {
  readonly isSandboxed: boolean;
  readonly userId: number | undefined;
}): string | undefined {
  if (!isSandboxed) return "bubblewrap does not work here";
  return userId === 0 ? "the gateway runs as root, whose processes the kernel does not limit" : undefined;
}

/** Requests of plugins go the way of the web tools' (R22). */
function publicFetch({ request }: Pick<WebAccess, "request">): PluginHostOptions["fetch"] {
  return async (asked, allows) => {
    const answer = await request({ ...asked, timeoutMs: FETCH_MS, allows });
    if (answer.type === "refused") throw new Error(answer.message);
    const { url, status, contentType } = answer.head;
    return { status, url, contentType, text: new TextDecoder().decode(answer.bytes), isCut: answer.isCut };
  };
}
