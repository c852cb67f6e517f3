import { createServerRun, renderServerCommand } from "@factotum/agent-contract";
import type { ClientContext, InitializeResponse } from "@agentclientprotocol/sdk";
import type { RunFacts } from "@factotum/agent-contract";
import { agentError, toAgentError } from "./agent-error.ts";
import { AgentPipe } from "./agent-pipe.ts";
import type { AcpAgentsOptions, AgentLimits, AgentSettings } from "./agent-settings.ts";
import type { ServerCapabilities } from "./mcp-servers.ts";
import { parseUpdate, type SessionUpdate } from "./parse-update.ts";
import { abortable } from "./prompt-queue.ts";
import { serveAgent, type AgentHost } from "./serve-agent.ts";

/** An agent that has said hello. */
export interface RunningAgent {
  readonly pipe: AgentPipe;
  readonly canLoad: boolean;
  readonly takesImages: boolean;
  readonly takesServers: ServerCapabilities;
  /** Asks the agent. Rejects with an error for the owner: its refusal, why it has ended, or that it did not answer in time. */
  request<Result>(what: string, ask: (agent: ClientContext) => Promise<Result>, limitMs?: number): Promise<Result>;
  /** Tells the agent something; a failure shows when it ends. */
  tell(say: (agent: ClientContext) => Promise<void>): void;
}

/** What opening needs in addition to the settings of an agent. */
export interface OpenAgentOptions extends Pick<
  AcpAgentsOptions,
  "runner" | "clock" | "version" | "searchPath" | "readSecret" | "hasLogin" | "hideSecrets"
> {
  readonly limits: AgentLimits;
  /** Ends the agent, also while it starts. */
  readonly signal: AbortSignal;
}

/** Starts an agent on the host and says hello: version 1 of the protocol, with files and terminals. Rejects with an error for the owner; then nothing of it runs. */
export async function openAgent(
  { id, settings, run }: { readonly id: string; readonly settings: AgentSettings; readonly run: RunFacts },
  host: AgentHost & { readonly onUpdate: (update: SessionUpdate) => void },
  options: OpenAgentOptions,
): Promise<RunningAgent> {
  const { runner, clock, limits, version } = options;
  const env = await variablesOf(id, settings, options);
  // Loaded with the first agent: it takes a third of a second.
  const sdk = await import("@agentclientprotocol/sdk");
  const { command, args, cwd = run.workspace } = settings;
  const request = renderServerCommand({ command, args, cwd, env, tainted: false });
  const place = createServerRun("acp-agent", { mode: "off", network: "none", workspace: "rw" }, run);
  const process = await runner.start(request, { run: place, signal: new AbortController().signal, onOutput: () => undefined });
  const pipe = new AgentPipe(process, clock, (params) => {
    const update = parseUpdate(params);
    if (update !== undefined) host.onUpdate(update);
  });
  const onAbort = (): void => void pipe.close();
  options.signal.addEventListener("abort", onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  const connection = serveAgent(sdk, host).connect(pipe.stream);
  const ended = pipe.ended.then((why) => {
    connection.close();
    return agentError("unreachable", `The external agent ${id} does not run: ${options.hideSecrets(why)}.`);
  });
  const ask: RunningAgent["request"] = async (what, send, limitMs) => {
    const timer = limitMs === undefined ? undefined : timeout(limitMs, clock);
    try {
      const answer = send(connection.agent);
      // Whichever settles first; the others are no failures of their own.
      answer.catch(() => undefined);
      const dead = ended.then((error) => Promise.reject(error));
      dead.catch(() => undefined);
      return await abortable(Promise.race([answer, dead]), timer?.signal ?? new AbortController().signal);
    } catch (error) {
      if (timer?.signal.aborted === true)
        throw agentError("timeout", `The external agent ${id} did not answer ${what} within ${(limitMs ?? 0) / 1000} seconds.`, error);
      // A connection that broke is explained by the end of the process.
      throw connection.signal.aborted ? await ended : toAgentError(id, what, error);
    } finally {
      timer?.[Symbol.dispose]();
    }
  };
  try {
    const { methods } = sdk;
    const hello = await ask(
      "initialize",
      (agent) =>
        agent.request(methods.agent.initialize, {
          protocolVersion: sdk.PROTOCOL_VERSION,
          clientInfo: { name: "factotum", version },
          clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        }),
      limits.startMs,
    );
    checkVersion(id, hello, sdk.PROTOCOL_VERSION);
    const { loadSession = false, promptCapabilities, mcpCapabilities } = hello.agentCapabilities ?? {};
    return {
      pipe,
      canLoad: loadSession,
      takesImages: promptCapabilities?.image === true,
      takesServers: { http: mcpCapabilities?.http === true, sse: mcpCapabilities?.sse === true },
      request: ask,
      tell: (say) => void say(connection.agent).catch(() => undefined),
    };
  } catch (error) {
    await pipe.close();
    throw error;
  }
}

function checkVersion(id: string, { protocolVersion }: InitializeResponse, ours: number): void {
  if (protocolVersion === ours) return;
  const advice = "Update it, or choose another one.";
  throw agentError("server", `The external agent ${id} speaks version ${protocolVersion} of the protocol, and not ${ours}. ${advice}`);
}

async function variablesOf(
  id: string,
  { env }: AgentSettings,
  { readSecret }: Pick<AcpAgentsOptions, "readSecret">,
): Promise<Readonly<Record<string, string>>> {
  try {
    const read = Object.entries(env).map(async ([name, secret]) => [name, await readSecret(secret)] as const);
    return Object.fromEntries(await Promise.all(read));
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    throw agentError("not-found", `The external agent ${id} was not started, because of acp.agents.${id}.env: ${why}`, error);
  }
}

function timeout(limitMs: number, clock: OpenAgentOptions["clock"]): { readonly signal: AbortSignal } & Disposable {
  const limit = new AbortController();
  const timer = clock.schedule(limitMs, () => limit.abort());
  return { signal: limit.signal, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
