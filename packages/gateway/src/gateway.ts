import { realpath, rm } from "node:fs/promises";
import path from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { isExposed, isLoopbackBind, resolveSecret, writePrivateFile } from "@factotum/config";
import type { GatewayConfig, Secret } from "@factotum/config";
import type { GatewayStatus, GatewayWarning } from "@factotum/protocol";
import { createConfiguredModels } from "./agents/configured-models.ts";
import { NO_EXTERNAL_AGENTS } from "./agents/external-agent.ts";
import type { EngineSettings } from "./engine/engine-options.ts";
import { ClientSockets } from "./rpc/client-sockets.ts";
import { createFileFollower } from "./rpc/followed-files.ts";
import { createRpcHandlers } from "./rpc/rpc-handlers.ts";
import { isButtonCommand } from "./commands/unknown-command.ts";
import { Engine } from "./engine/engine.ts";
import { createAuthenticator } from "./access/credentials.ts";
import type { Authenticator } from "./access/credentials.ts";
import { startHttpServer } from "./http/http-server.ts";
import type { HttpServer } from "./http/http-server.ts";
import { createTextEmbeddings } from "./media/embeddings/create-text-embeddings.ts";
import type { MetricsPage } from "./status/metrics-page.ts";
import { gatewayStatus } from "./status/gateway-status.ts";
import { gatewayWarnings } from "./status/gateway-warnings.ts";
import type { GatewayOptions, GatewaySettings } from "./gateway-options.ts";
import { createGatewayParts } from "./gateway-parts.ts";
import type { GatewayParts } from "./gateway-parts.ts";

/** A gateway that runs. */
export interface Gateway {
  /** `http://127.0.0.1:18790`. */
  readonly url: string;
  readonly engine: Engine;
  status(): Promise<GatewayStatus>;
  /**
   * Applies another configuration without dropping work: see `Engine.apply`. With another token, connections opened with the old one are closed, and only the
   * new one is accepted. With `keysChanged`, credentials in cooldown are tried again. The listening address is fixed at the start. All or nothing: if it
   * rejects, nothing has changed.
   */
  reload(settings: GatewaySettings, options?: { readonly keysChanged?: boolean }): Promise<void>;
  /** Stops accepting work, leaves unfinished turns to the next start and closes the port. Idempotent. */
  stop(reason: string): Promise<void>;
}

/** Starts everything. Rejects with a message that says what to do if it must not or cannot start; then nothing is left running. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, store, clock, random, logger } = options;
  const { bind } = config.gateway;
  requireToken(options.token, config.gateway);
  const parts = createGatewayParts(options);
  const { sessionCommands, agentJobs, subagents } = parts;
  const engine = new Engine({
    ...(await engineSettings(options, parts, options)),
    home: options.home,
    store,
    damage: options.damage,
    owners: options.ownerControl,
    sessionCommands,
    agentJobs,
    subagents,
    questions: parts.questioner,
    planBoard: parts.planBoard,
    ...withoutUndefined({ reserve: options.reserve }),
    localFiles: options.localFiles,
    checkpoints: options.checkpoints,
    editors: options.editors,
    hostCommands: options.hostCommands,
    commandSearchPath: options.commandSearchPath,
    remoteFiles: options.remoteFiles,
    ...withoutUndefined({ imageWorker: options.imageWorker, importWorker: options.importWorker }),
    clock,
    random,
    logger,
    fetch: options.fetch,
    onLostOwnership: () => options.onShutdownRequest("another gateway has taken over this state directory"),
    hideSecrets: options.hideSecrets,
    externalAgents: options.externalAgents ?? NO_EXTERNAL_AGENTS,
    skillUse: options.skillUse ?? { invoked: () => undefined },
    hookSources: options.hookSources ?? (() => []),
    version: options.version,
    commands: options.commands,
    drainMs: options.drainMs,
    documentation: options.documentation,
    ...withoutUndefined({ crashPoint: options.crashPoint }),
  });
  const { running } = engine.parts;
  const { hub, messenger, planBoard, reporter, media, sampler, agentsSessions, restarter } = parts;
  messenger.connect({ ...engine.parts, isCommand: (value) => isButtonCommand(value, running.config.session.resetTriggers) });
  planBoard.connect(engine.parts);
  reporter.connect(engine.parts);
  media.connect(engine.parts);
  sampler.connect(engine.parts);
  agentsSessions.connect({ ...engine.parts, submit: async (...step) => engine.submit(...step) });
  options.memory.embedWith(createTextEmbeddings(engine.parts));
  restarter.connect({ ...engine.parts, submit: async (message, admission) => engine.submit(message, admission) });
  hub.connect(engine.parts);
  return listen(engine, parts, options, isLoopbackBind(bind));
}

async function engineSettings(
  { config, toolSources, accounts, skills, skillFolders }: GatewaySettings,
  {
    hub,
    messenger,
    planBoard,
    questioner,
    reporter,
    restarter,
    media,
    sampler,
    sessionCommands,
    agentJobs,
    agentsSessions,
    subagents,
  }: GatewayParts,
  { environment, fetch, clock, random, logger, onSecret }: GatewayOptions,
): Promise<EngineSettings> {
  const secret = config.commands.ownerDisplaySecret;
  const shown = secret === undefined ? undefined : await resolveSecret(secret, { env: environment });
  if (shown?.type === "unresolved")
    logger.warn("commands.ownerDisplaySecret has no value; senders are shown by a plain hash", { detail: shown.message });
  if (shown?.type === "resolved") onSecret(shown.value);
  return {
    config,
    models: createConfiguredModels({ config, environment, fetch, clock, random, logger, onSecret }),
    toolSources: toolSources({
      messenger,
      planBoard,
      questioner,
      reporter,
      restarter,
      media,
      sampler,
      background: sessionCommands,
      jobs: agentJobs,
      sessions: agentsSessions,
      subagents,
    }),
    skills,
    skillFolders,
    accounts: accounts({ webchatSocket: hub }),
    ownerDisplaySecret: shown?.type === "resolved" ? shown.value : undefined,
  };
}

async function listen(engine: Engine, parts: GatewayParts, options: GatewayOptions, loopbackOnly: boolean): Promise<Gateway> {
  const { config, clock, version } = options;
  const startedAtMs = clock.now();
  let ready = false;
  let url = "";
  let metrics: Promise<MetricsPage> | undefined;
  const status = async (): Promise<GatewayStatus> =>
    gatewayStatus(engine, { version, pid: process.pid, startedAtMs, url, home: options.home, config: options.configControl.report() });
  const authenticator = createAuthenticator(options.token, clock);
  const clients = createClients(engine, parts, { ...options, status, authenticator });
  const host = listenHost(config.gateway.bind);
  const server: HttpServer = await startHttpServer({
    engine,
    authenticator,
    clients,
    clock,
    webFolder: options.webFolder,
    host,
    port: config.gateway.port,
    loopbackOnly,
    pluginRoutes: options.pluginRoutes ?? (() => []),
    readSecret: async (secret) => readSecret(secret, options),
    readiness: () => (ready ? engine.parts.storage.problem?.reason : "the gateway is starting or ending"),
    metrics: async () => (await (metrics ??= openMetrics(engine, version))).render(),
  });
  url = `http://${displayHost(host)}:${server.port}`;
  const runtimeFile = path.join(options.home, "state", "gateway.json");
  let stopping: Promise<void> | undefined;
  const stop = async (reason: string): Promise<void> => {
    ready = false;
    // Disposed in reverse order. A failing one does not stop the others.
    await using ends = new AsyncDisposableStack();
    ends.defer(() => rm(runtimeFile, { force: true }));
    ends.defer(async () => (await metrics)?.[Symbol.dispose]());
    ends.defer(() => server.close());
    ends.defer(async () => stopEngine(engine, parts, reason));
    ends.defer(() => clients.close(reason));
  };
  try {
    await engine.start();
    await parts.agentsSessions.recover();
    // Commands in a copy of the state directory must not take this gateway for theirs.
    const facts = { pid: process.pid, port: server.port, url, startedAtMs, version, home: await realpath(options.home) };
    await writePrivateFile(runtimeFile, `${JSON.stringify(facts)}\n`);
  } catch (error) {
    await stop("the gateway could not start");
    throw error;
  }
  ready = true;
  engine.connectSoon();
  const reload: Gateway["reload"] = async (settings, { keysChanged = false } = {}) => {
    for (const { gateway } of [config, settings.config]) requireToken(settings.token, gateway);
    const next = await engineSettings(settings, parts, options);
    if (stopping !== undefined) return;
    engine.apply(next);
    if (keysChanged) engine.parts.cooldowns.clear();
    authenticator.replace(settings.token);
  };
  return { url, engine, status, reload, stop: (reason) => (stopping ??= stop(reason)) };
}

/** The sockets of clients, with the methods that they call. */
function createClients(
  engine: Engine,
  { hub }: Pick<GatewayParts, "hub">,
  options: GatewayOptions & { readonly status: () => Promise<GatewayStatus>; readonly authenticator: Authenticator },
): ClientSockets {
  const { configControl, memory, status, authenticator, version, clock, random, logger } = options;
  const warnings = (): readonly GatewayWarning[] => currentWarnings(engine, options);
  const handlers = createRpcHandlers({
    engine,
    hub,
    status,
    warnings,
    reloadConfig: async (how) => configControl.reload(how),
    services: options.services,
    memory,
    requestRestart: options.onRestartRequest,
    requestShutdown: options.onShutdownRequest,
  });
  const { events, storage, approvals, letterChanges: deadLetters } = engine.parts;
  const watched = {
    events,
    approvals,
    configControl,
    deadLetters,
    warnings,
    channels: () => engine.parts.channels.status(),
    pairingCodes: () => engine.pairing.pending().map(({ code }) => code),
  };
  const changing = {
    jobs: engine.schedule.jobs,
    notes: memory.files,
    files: engine.parts.fileChanges,
    answered: createFileFollower(engine),
  };
  return new ClientSockets({ handlers, authenticator, storage, ...watched, ...changing, version, clock, random, logger });
}

/** The value of a secret, which no log shows from then on. */
async function readSecret(
  secret: Secret,
  { environment, logger, onSecret }: Pick<GatewayOptions, "environment" | "logger" | "onSecret">,
): Promise<string | undefined> {
  const read = await resolveSecret(secret, { env: environment });
  if (read.type === "unresolved") {
    logger.warn("A secret of hooks has no value, so that requests with it are refused", { detail: read.message });
    return undefined;
  }
  onSecret(read.value);
  return read.value;
}

function currentWarnings(engine: Engine, { configControl }: Pick<GatewayOptions, "configControl">): readonly GatewayWarning[] {
  const { storage, channels, dispatcher, failedRuns, mediaProblems, running, externalAgents } = engine.parts;
  return gatewayWarnings({
    config: configControl.report(),
    storage,
    damage: engine.damage.list(),
    channels: channels.status(),
    pairings: engine.pairing.pending(),
    failedRuns: failedRuns.list(),
    mediaProblems: mediaProblems.list(),
    toolProblems: running.agents.toolProblems(),
    externalProblems: externalAgents.ids().map((id) => ({ id, problem: externalAgents.problemOf(id) })),
    blocked: dispatcher.blocked,
    sharedSessions: engine.sharedSessions,
  });
}

function requireToken(token: string | undefined, gateway: GatewayConfig): void {
  if (token !== undefined || !isExposed(gateway)) return;
  const reach = isLoopbackBind(gateway.bind) ? "gateway.publicUrl is set" : `gateway.bind is "${gateway.bind}"`;
  throw new Error(
    `${reach} and gateway.auth.mode is "none": everybody on the network would be the owner. Set gateway.auth.mode to "token", or gateway.bind to "loopback" without gateway.publicUrl.`,
  );
}

/** Loaded at the first scrape: most gateways never have one. */
async function openMetrics(engine: Engine, version: string): Promise<MetricsPage> {
  const { MetricsPage: Page } = await import("./status/metrics-page.ts");
  return new Page(engine, version);
}

async function stopEngine(
  engine: Engine,
  { restarter, agentsSessions }: Pick<GatewayParts, "restarter" | "agentsSessions">,
  reason: string,
): Promise<void> {
  await agentsSessions.close();
  const stopped = engine.stop(reason);
  // No turn starts any more, so the next start passes these on.
  await restarter.report();
  await stopped;
}

function listenHost(bind: string): string {
  if (bind === "loopback") return "127.0.0.1";
  return bind === "lan" ? "0.0.0.0" : bind;
}

function displayHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}
