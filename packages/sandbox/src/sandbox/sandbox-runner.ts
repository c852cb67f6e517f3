import type {
  Clock,
  CommandOptions,
  CommandRequest,
  CommandResult,
  CommandRunner,
  RunFacts,
  RunningCommand,
} from "@factotum/agent-contract";
import { END_OF_TRANSMISSION } from "../host/command-input.ts";
import { TERMINAL_TYPE } from "../host/terminal-words.ts";
import { OutputRing } from "../output/output-ring.ts";
import type { CommandProxy, OpenCommandProxy, SandboxNetwork } from "../network/command-proxy.ts";
import { FORWARDER_PORT, proxyVariables } from "../network/proxy-variables.ts";
import { proxySocketPath } from "../network/proxy-sockets.ts";
import { candidates, findBackend } from "./find-backend.ts";
import type { BackendOptions } from "./find-backend.ts";
import { planSandbox } from "./plan-sandbox.ts";
import type { BackendState, MissingBackend, ReadyBackend, RewrittenRequest } from "./sandbox-backend.ts";
import type { SandboxBackend, SandboxPlan, SandboxSpec } from "./sandbox-spec.ts";

/** Options of the runner. */
export interface SandboxRunnerOptions extends Omit<BackendOptions, "run"> {
  /** Runs every command in the end: rewritten, or as it is. */
  readonly host: CommandRunner;
  readonly clock: Pick<Clock, "monotonic">;
  readonly userHome: string;
  /** What commands with network need: proxies, and the program of Node.js that runs in their sandboxes. Absent: they are refused. */
  readonly network?: { readonly openProxy: OpenCommandProxy; readonly node: string };
  /** The sandbox of a run; `undefined` if its commands run on the host. Asked before every command. */
  readonly sandboxOf: (run: RunFacts, request: CommandRequest) => Promise<SandboxSpec | undefined>;
}

/** A runner that puts the commands of sandboxed runs into a sandbox. */
export interface SandboxRunner extends CommandRunner {
  /** The backend of a setting, tried at first use. A success is kept, a failure is tried again after half a minute. Never rejects. */
  backend(choice: Pick<SandboxSpec, "backend" | "image">): Promise<BackendState>;
}

/** What becomes of a request: it runs, on the host or in a sandbox, or not at all. `message` is for the model. */
type Decided =
  | ({ readonly type: "runs"; readonly proxy?: CommandProxy } & RewrittenRequest)
  | { readonly type: "refused"; readonly message: string };

const RETRY_MS = 30_000;

/** Wraps the host's runner: one implementation of groups, limits, orphans, input and output serves both. */
export function createSandboxRunner(options: SandboxRunnerOptions): SandboxRunner {
  const { host } = options;
  const backends = new BackendCache(options);
  const start: SandboxRunner["start"] = async (request, run) => {
    const decided = await decide(request, run.run, options, backends);
    if (decided.type === "refused") return notStarted(decided.message);
    const { cleanUp, proxy } = decided;
    const command = await host.start(decided.request, run);
    const cleaned = cleanUp === undefined ? command.ended : cleanedUp(command.ended, () => host.run(cleanUp, unwatched(run.run)));
    const ended = proxy === undefined ? cleaned : withProxy(cleaned, proxy);
    // Its terminal is behind a pipe, which stays open.
    const closeInput = request.input?.type === "terminal" ? () => command.write(END_OF_TRANSMISSION) : () => command.closeInput();
    return { ended, output: command.output, write: (text) => command.write(text), closeInput, kill: () => command.kill() };
  };
  return {
    start,
    run: async (request, run) => (await start(request, run)).ended,
    backend: async ({ backend, image }) => backends.choose(backend, image),
  };
}

async function decide(request: CommandRequest, run: RunFacts, options: SandboxRunnerOptions, backends: BackendCache): Promise<Decided> {
  try {
    const spec = await options.sandboxOf(run, request);
    if (spec === undefined) return { type: "runs", request };
    const found = await backends.choose(spec.backend, spec.image);
    if (found.type === "missing") return { type: "refused", message: refusal(found) };
    const plan = await planSandbox(spec, { ...options, system: found.system });
    if (plan === undefined)
      return { type: "refused", message: "The command was not run: the workspace is the state folder itself. Choose another workspace." };
    const env = request.input?.type === "terminal" ? { TERM: TERMINAL_TYPE, ...request.env } : request.env;
    if (spec.network === undefined) return { type: "runs", ...found.rewrite({ ...request, env }, plan) };
    const { proxy, networked } = await openNetwork(spec.network, plan, { run, found, options });
    return { type: "runs", proxy, ...found.rewrite({ ...request, env }, networked) };
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    return { type: "refused", message: `The command was not run, because its sandbox could not be prepared: ${why}` };
  }
}

/** Opens the proxy of a command, and plans the way to it. Rejects with what is missing. */
async function openNetwork(
  network: SandboxNetwork,
  plan: SandboxPlan,
  { run, found, options }: { readonly run: RunFacts; readonly found: ReadyBackend; readonly options: SandboxRunnerOptions },
): Promise<{ readonly proxy: CommandProxy; readonly networked: SandboxPlan }> {
  if (options.network === undefined) throw new Error("this program opens no proxy for its network");
  const { openProxy, node } = options.network;
  const socketPath = found.reachesProxyBy === "socket" ? proxySocketPath(options.folder, options.random.uuid()) : undefined;
  const proxy = await openProxy(network, { socketPath, run });
  const way =
    socketPath === undefined ? { type: "port" as const, port: proxy.port } : { type: "socket" as const, socket: socketPath, node };
  const variables = proxyVariables({ port: way.type === "port" ? way.port : FORWARDER_PORT, token: proxy.token });
  return { proxy, networked: { ...plan, environment: { ...plan.environment, ...variables }, network: way } };
}

/** Closes the proxy with the command, and adds what it has refused. */
async function withProxy(ended: Promise<CommandResult>, proxy: CommandProxy): Promise<CommandResult> {
  try {
    const result = await ended;
    const refusedRequests = proxy.refused();
    return refusedRequests.length === 0 ? result : { ...result, refusedRequests };
  } finally {
    await proxy[Symbol.asyncDispose]();
  }
}

async function cleanedUp(ended: Promise<CommandResult>, cleanUp: () => Promise<unknown>): Promise<CommandResult> {
  try {
    return await ended;
  } finally {
    await cleanUp();
  }
}

function refusal({ backend, reason, fix }: MissingBackend): string {
  return `The command was not run: it has to run in a sandbox, and this machine has none (${backend}: ${reason}). Tell the owner: ${fix}`;
}

/** Options of a command that is neither stopped nor followed. */
function unwatched(run: RunFacts): CommandOptions {
  return { run, signal: new AbortController().signal, onOutput: () => undefined };
}

function notStarted(message: string): RunningCommand {
  const output = new OutputRing(() => 0);
  output.end(0);
  const closed = (): "closed" => "closed";
  const result: CommandResult = { end: { type: "not-started", message }, output: "", outputBytes: 0, durationMs: 0 };
  return { ended: Promise.resolve(result), output, write: closed, closeInput: closed, kill: () => undefined };
}

/** The run of trial starts, which belong to no session. */
const TRIAL: RunFacts = {
  runId: "sandbox-trial",
  kind: "user",
  agentId: "",
  sessionKey: "",
  sessionId: "",
  workspace: "/",
  owner: true,
  timeZone: "UTC",
};

/** Tries each backend once. */
class BackendCache {
  readonly #options: SandboxRunnerOptions;
  readonly #tried = new Map<string, { readonly state: Promise<BackendState>; readonly atMs: number }>();

  constructor(options: SandboxRunnerOptions) {
    this.#options = options;
  }

  /** The first backend of the choice that works; without one what is wrong with the preferred one. */
  async choose(choice: SandboxSpec["backend"], image: string): Promise<BackendState> {
    const [first, ...others] = choice === "auto" ? candidates(this.#options.platform) : [choice];
    if (first === undefined) throw new Error("no backend for this platform");
    const preferred = await this.#try(first, image);
    if (preferred.type === "ready") return preferred;
    for (const other of others) {
      const state: BackendState = await this.#try(other, image);
      if (state.type === "ready") return state;
    }
    return preferred;
  }

  async #try(backend: SandboxBackend, image: string): Promise<BackendState> {
    const key = backend === "docker" || backend === "podman" ? `${backend} ${image}` : backend;
    const nowMs = this.#options.clock.monotonic();
    const earlier = this.#tried.get(key);
    if (earlier !== undefined) {
      const state = await earlier.state;
      if (state.type === "ready" || nowMs - earlier.atMs < RETRY_MS) return state;
    }
    const run = async (request: CommandRequest): Promise<CommandResult> => this.#options.host.run(request, unwatched(TRIAL));
    const state = findBackend(backend, image, { ...this.#options, run });
    this.#tried.set(key, { state, atMs: nowMs });
    return state;
  }
}
