import { commandSandbox } from "@factotum/agent-contract";
import type { CommandRequest, RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import type { SandboxSpec } from "@factotum/sandbox";
import type { FileRoot } from "@factotum/tools";
import type { RunRoots } from "./run-roots.ts";

/** The kernel counts threads, and one process easily has several. */
const TASKS_PER_PROCESS = 8;

/** What the specification depends on besides the run. */
export interface SandboxParts {
  readonly config: FactotumConfig;
  readonly roots: readonly FileRoot[];
  /** The state directory and the configuration file: never visible. */
  readonly hidden: readonly string[];
}

/**
 * The sandbox of a run, without its network; `undefined` if its commands run on the host. It shows what the run's file tools may read, and lets commands change the workspace if they
 * may. The agent's own workspace is writable only in turns that hold the owner's words alone: a command could change what later turns follow (R23).
 */
export function sandboxSpec(
  run: RunFacts,
  { tainted = true }: Pick<CommandRequest, "tainted">,
  { config, roots, hidden }: SandboxParts,
): SandboxSpec | undefined {
  const sandbox = commandSandbox(run);
  if (sandbox === undefined) return undefined;
  const { workspaceAccess } = sandbox;
  const { backend, image } = agentOf(run, config).sandbox;
  const { maxProcesses, maxMemoryMb } = config.tools.exec;
  return {
    backend,
    image,
    workspace: { path: run.workspace, writable: workspaceAccess === "none" || (workspaceAccess === "rw" && run.owner && !tainted) },
    readOnly: roots.map(({ path }) => path),
    hidden,
    maxTasks: maxProcesses * TASKS_PER_PROCESS,
    maxMemoryBytes: maxMemoryMb * 1024 ** 2,
  };
}

/**
 * The sandbox of each run by the current configuration; the state directory and the configuration file are hidden. Its network reaches the hosts that the run
 * was admitted with, as far as the list still has them.
 */
export function createSandboxOf(
  { paths, path }: Pick<LoadedConfig, "paths" | "path">,
  { roots, currentConfig }: { readonly roots: RunRoots; readonly currentConfig: () => FactotumConfig },
): (run: RunFacts, request: CommandRequest) => Promise<SandboxSpec | undefined> {
  const hidden = [paths.home, path];
  return async (run, request) => {
    const spec = sandboxSpec(run, request, { config: currentConfig(), roots: roots.rootsOf(run), hidden });
    const planned = run.sandbox?.network;
    if (spec === undefined || planned === undefined) return spec;
    const hosts = (): readonly string[] => planned.filter((host) => hostsOf(agentOf(run, currentConfig())).includes(host));
    return { ...spec, network: { hosts } };
  };
}

/** The hosts that sandboxed commands of an agent may reach. */
function hostsOf({ sandbox: { network } }: FactotumConfig["agents"][number]): readonly string[] {
  return network === "none" ? [] : network.allow;
}

/** The agent of a run, or the default one if it no longer exists. */
function agentOf({ agentId }: RunFacts, { agents, defaultAgentId }: FactotumConfig): FactotumConfig["agents"][number] {
  const agent = agents.find(({ id }) => id === agentId) ?? agents.find(({ id }) => id === defaultAgentId);
  if (agent === undefined) throw new Error(`there is no agent ${agentId}, and no default agent`);
  return agent;
}
