import type { RunFacts } from "@factotum/agent-contract";
import { loadConfig, type FactotumConfig, type LoadedConfig } from "@factotum/config";
import {
  agentSessionKey,
  normalizeSessionKey,
  parseAgentSessionKey,
  placeOfRun,
  sessionKind,
  type RunPlace,
  type SandboxReason,
} from "@factotum/gateway";
import { planSandbox, type BackendState } from "@factotum/sandbox";
import { configOptions } from "../compose/extensions.ts";
import { createRunRoots } from "../compose/run-roots.ts";
import { sandboxSpec } from "../compose/sandbox-spec.ts";
import { trySandboxes } from "../compose/try-sandbox.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { parseSessionName } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { foreignText } from "../runtime/foreign-text.ts";

type Agent = FactotumConfig["agents"][number];

const REASONS: Readonly<Record<SandboxReason, string>> = {
  off: "on the host, because sandbox.mode is off",
  all: "in a sandbox, because sandbox.mode is all",
  group: "in a sandbox, because the session is that of a group or channel",
  guest: "in a sandbox, because the message is not the owner's",
  owner: "on the host, because the conversation is the owner's own",
};

/** What a turn of somebody can do with commands. */
interface ExplainedTurn {
  readonly who: "owner" | "others";
  readonly reason: SandboxReason;
  readonly workspace: string;
  readonly writable: boolean;
  readonly readOnly: readonly string[];
  readonly covered: readonly string[];
}

/** Says where commands of a session run, why, and what they reach, by the configuration on disk. No gateway is needed. */
export async function sandboxExplain(
  context: CliContext,
  { session = "main", json }: { readonly session?: string; readonly json: boolean },
): Promise<number> {
  const loaded = await usableConfig(context);
  const { config } = loaded;
  const { agent, key } = sessionOf(session, config);
  const isGroup = sessionKind(key, config.session.mainKey) === "group";
  const [backend] = await trySandboxes(context, [agent.sandbox]);
  if (backend === undefined) throw new Error("no backend was tried");
  const turns = await Promise.all(
    [true, false].map(async (owner) => explainTurn(loaded, agent, { owner, sessionKey: key, group: isGroup }, backend)),
  );
  const limits = await commandLimits(context, config);
  const elevated = await elevatedState(context, config, key);
  const { mode, scope, workspaceAccess, network } = agent.sandbox;
  if (json) {
    const state = backend.type === "ready" ? { type: "ready", name: backend.backend, program: backend.program } : backend;
    printJson(context, {
      session: key,
      agent: agent.id,
      isGroup,
      mode,
      scope,
      workspaceAccess,
      network: network === "none" || network.allow.length === 0 ? "none" : network,
      elevated,
      backend: state,
      turns,
      limits,
    });
    return EXIT.ok;
  }
  const row = (name: string, value: string): void => context.print(`${name.padEnd(11)}${value}\n`);
  row("session", foreignText(key) + (isGroup ? " (a group or channel)" : ""));
  row("agent", agent.id);
  row("mode", `${mode} (scope ${scope}, workspaceAccess ${workspaceAccess})`);
  row("backend", describeBackend(backend));
  row("network", describeNetwork(network));
  row("elevated", describeElevated(elevated));
  for (const line of limits) row("limits", line);
  for (const turn of turns) {
    context.print("\n");
    row(turn.who, describePlace(turn, elevated.on === true));
    if (turn.reason === "off" && turn.who === "others") row("", "which is refused: outside of a sandbox commands run for the owner only");
    row("workspace", `${turn.workspace}${turn.writable ? "" : " (read-only)"}`);
    for (const path of turn.readOnly) row("read-only", path);
    for (const path of turn.covered) row("covered", path);
  }
  return EXIT.ok;
}

/** `/elevated` moves the owner's commands alone. */
function describePlace({ who, reason }: ExplainedTurn, isElevated: boolean): string {
  if (who !== "owner") return `other people's commands run ${REASONS[reason]}`;
  const isMoved = isElevated && reason !== "off" && reason !== "owner";
  return `the owner's commands run ${isMoved ? "on the host, because /elevated is on; without it they run " : ""}${REASONS[reason]}`;
}

function describeNetwork(network: Agent["sandbox"]["network"]): string {
  if (network === "none" || network.allow.length === 0) return "none";
  return `${network.allow.join(", ")} (through the gateway's proxy; each command needs a decision)`;
}

/** The configuration of the file or its copy; rejects with a `CliError` if there is none. */
export async function usableConfig({ env }: Pick<CliContext, "env">): Promise<LoadedConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "loaded") return loaded;
  throw new CliError("configInvalid", "The configuration cannot be used.", { fix: 'Run "factotum config validate".' });
}

/** A key, `main`, or an agent's id. */
function sessionOf(written: string, config: FactotumConfig): { readonly agent: Agent; readonly key: string } {
  const parsed = parseSessionName(written);
  const byId = (id: string): Agent | undefined => config.agents.find((agent) => agent.id === id);
  const key = parsed.type === "key" ? normalizeSessionKey(parsed.key) : undefined;
  const id =
    key === undefined
      ? parsed.type === "name" && parsed.name !== "main"
        ? parsed.name.toLowerCase()
        : undefined
      : parseAgentSessionKey(key)?.agentId;
  const agent = byId(id ?? config.defaultAgentId);
  if (agent === undefined) {
    throw new CliError("usage", `There is no agent "${id ?? config.defaultAgentId}".`, {
      fix: 'Write a key as "factotum sessions list" shows it, "main", or the id of an agent.',
    });
  }
  return { agent, key: key ?? agentSessionKey(agent.id, config.session.mainKey) };
}

async function explainTurn(
  { config, paths, path }: LoadedConfig,
  agent: Agent,
  occasion: { readonly owner: boolean; readonly sessionKey: string; readonly group: boolean },
  backend: BackendState,
): Promise<ExplainedTurn> {
  const place: RunPlace = placeOfRun(agent, occasion, paths.home);
  const who = occasion.owner ? "owner" : "others";
  const base = { who, reason: place.reason, workspace: place.folder } as const;
  if (place.sandbox === undefined) return { ...base, writable: true, readOnly: [], covered: [] };
  // The folder of received files is named by the session's id, which the gateway alone knows.
  const run: RunFacts = {
    runId: "explain",
    kind: "user",
    agentId: agent.id,
    sessionId: "",
    timeZone: "UTC",
    sandbox: place.sandbox,
    sessionKey: occasion.sessionKey,
    workspace: place.folder,
    owner: occasion.owner,
  };
  const roots = createRunRoots(paths, () => config)
    .rootsOf(run)
    .filter(({ type }) => type !== "media");
  const spec = sandboxSpec(run, { tainted: false }, { config, roots, hidden: [paths.home, path] });
  const system = backend.type === "ready" ? backend.system : [];
  const plan = spec === undefined ? undefined : await planSandbox(spec, { system, userHome: paths.userHome, baseEnv: {} });
  const mounts = plan?.mounts ?? [];
  return {
    ...base,
    writable: spec?.workspace.writable ?? true,
    readOnly: [...system, ...mounts.flatMap(({ type, path: shown }) => (type === "read-only" && shown !== place.folder ? [shown] : []))],
    covered: mounts.flatMap(({ type, path: covered }) => (type.startsWith("empty") ? [covered] : [])),
  };
}

/** Whether the owner's commands may leave the sandbox, and whether they do in this session, which a running gateway alone knows. */
interface ElevatedState {
  readonly enabled: boolean;
  readonly on?: boolean;
}

async function elevatedState(context: CliContext, { tools: { elevated } }: FactotumConfig, sessionKey: string): Promise<ElevatedState> {
  const { enabled } = elevated;
  using gateway = enabled ? await findGateway(context) : undefined;
  if (gateway === undefined) return { enabled };
  try {
    const { run } = await gateway.client.request("tools.list", { sessionKey }, { signal: context.signal });
    return { enabled, on: run.elevated };
  } catch (error) {
    throw requestError(error);
  }
}

function describeElevated({ enabled, on }: ElevatedState): string {
  if (!enabled) return "off (tools.elevated.enabled is false)";
  if (on === undefined) return "allowed; a running gateway says whether /elevated is on in the session";
  return on
    ? "on: the owner's commands of this session run on the host (/elevated)"
    : "off (/elevated on moves the owner's commands to the host)";
}

function describeBackend(backend: BackendState): string {
  if (backend.type === "ready") return `${backend.backend} (${backend.program})`;
  return `none: ${backend.backend}: ${backend.reason}\n${" ".repeat(11)}→ ${backend.fix}`;
}

/** The limits, and who keeps them if a gateway runs: the kernel, or the gateway where cgroups cannot be written. */
async function commandLimits(context: CliContext, { tools: { exec } }: FactotumConfig): Promise<readonly string[]> {
  if (exec.mode === "deny") return ["no commands run (tools.exec.mode: deny)"];
  using gateway = await findGateway(context);
  if (gateway === undefined) {
    const what = `all running commands together: ${exec.maxProcesses} processes, ${exec.maxMemoryMb} MB of memory`;
    return [`${what}; a running gateway says whether the kernel or the gateway itself keeps them`];
  }
  try {
    const { config } = await gateway.client.request("status", {}, { signal: context.signal });
    return config.commandPolicy.filter((line) => line.startsWith("all running commands"));
  } catch (error) {
    throw requestError(error);
  }
}
