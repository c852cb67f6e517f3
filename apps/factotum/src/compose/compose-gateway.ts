import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandRunner, Logger } from "@factotum/agent-contract";
import {
  loadConfig,
  rememberConfig,
  resolveProviderKeys,
  secretValues,
  watchConfig,
  type ConfigProblem,
  type FactotumConfig,
  type LoadedConfig,
} from "@factotum/config";
import {
  createFileReserve,
  EditorLinks,
  isStorageFull,
  startGateway,
  type DiskReserve,
  type Gateway,
  type GatewayOptions,
} from "@factotum/gateway";
import { createEditorRunner, removeProxySockets, type HostRunner } from "@factotum/sandbox";
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions, type StoreDamage } from "@factotum/store";
import { createPublicFetch } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import { assetPath } from "../runtime/assets.ts";
import { secretVariables, type SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { commandEnvironment, commandSearchPath } from "./command-environment.ts";
import { createOpenCommandProxy } from "./command-proxy.ts";
import { ConfigReloader } from "./config-reloader.ts";
import { crashPointFrom } from "./crash-point.ts";
import { channelCatalog, configOptions } from "./extensions.ts";
import { createSettingsService } from "./settings-service.ts";
import { settingsOf } from "./gateway-settings.ts";
import { gatewayToken } from "./gateway-token.ts";
import { keepSnapshots } from "./keep-snapshots.ts";
import { commandHookSources } from "./command-hooks.ts";
import { composeFileAccess, type ComposedFileAccess } from "./compose-file-access.ts";
import type { ComposedPlugins } from "./compose-plugins.ts";
import { createLocalFiles, createOutgoingGuard } from "./local-files.ts";
import { AGENT_COMMANDS } from "./agent-commands.ts";
import { createPluginFetch } from "./plugin-fetch.ts";
import { openIntegrations, type Integrations } from "./open-integrations.ts";
import { openRunner, type OpenRunnerOptions } from "./open-runner.ts";
import { openSandbox, sandboxFolder } from "./open-sandbox.ts";
import { removeTemporaryFiles } from "./remove-temporary-files.ts";
import { createRunRoots, type RunRoots } from "./run-roots.ts";
import { createSandboxOf } from "./sandbox-spec.ts";
import { sessionFolders } from "./session-folders.ts";
import { sharedLogins } from "./shared-logins.ts";
import { SkillRuns } from "./skill-runs.ts";
import { watchDatabase } from "./watch-database.ts";
import { webSearchNotices } from "./web-search-settings.ts";

/** A gateway with its resources. */
export interface ComposedGateway {
  readonly gateway: Gateway;
  /** Needed by a browser; absent with `auth.mode: none`. */
  readonly token: string | undefined;
  /** Problems found by the start in addition to those of the file. */
  readonly notices: readonly ConfigProblem[];
  /** Stops the gateway, then closes its resources. Idempotent. */
  close(reason: string): Promise<void>;
}

/** What services are made of. */
export interface ServiceParts
  extends Pick<ComposeOptions, "context" | "loaded" | "secrets">, Pick<ComposedFileAccess, "owned">, Pick<Integrations, "mcp" | "lsp"> {
  /** Applies the configuration file. */
  readonly control: ConfigReloader;
  readonly currentConfig: () => FactotumConfig;
}

/** What clients may ask of the product, and what first senders change of its configuration. */
export interface Services extends Pick<GatewayOptions, "services" | "ownerControl"> {
  /** Those of the memory. */
  readonly memory: Pick<GatewayOptions["memory"], "files" | "history" | "forgetting">;
}

/** Options of the composition. */
export interface ComposeOptions {
  readonly context: CliContext;
  readonly loaded: LoadedConfig;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly services: (parts: ServiceParts) => Services;
  readonly onRestartRequest: () => Promise<void>;
  readonly onShutdownRequest: (reason: string) => void;
}

/** Why a gateway ends whose database must be rebuilt: the next start does that. */
export const DAMAGED_DATABASE = "the database is damaged";

/** How long a running turn may continue after the gateway is stopped; well below the timeout of service managers. */
const DRAIN_MS = 5000;

/** Leftovers of killed processes are removed after the first messages of a start, and before the first snapshot. */
const CLEAN_AFTER_MS = 1000;

/** Builds the gateway from its packages and starts it. Rejects with an error that says what to do; then nothing is left open. */
export async function composeGateway(options: ComposeOptions): Promise<ComposedGateway> {
  const { context, loaded, logger, secrets, services, ...requests } = options;
  const [{ paths }, { env }, { onShutdownRequest }] = [loaded, context, requests];
  const system = { clock: systemClock, random: systemRandom, logger };
  // Parts that outlive a configuration read the current one here.
  let config: FactotumConfig = loaded.config;
  const { token, notices: tokenNotices } = await gatewayToken(config, { paths, env });
  const leaving = new AbortController();
  const expectKeys = (of: FactotumConfig): void => secrets.expect(resolveProviderKeys(of, { env, signal: leaving.signal }));
  secrets.add([...secretValues(config, env), ...secretVariables(env), ...(token === undefined ? [] : [token])]);
  // Findings are buffered until the gateway can report them.
  const found: StoreDamage[] = [];
  let reportDamage = (damage: StoreDamage): void => void found.push(damage);
  const [wasKilled, reserve] = [existsSync(paths.runtimeFile), createFileReserve({ path: join(paths.stateFolder, "reserve") })];
  const store = await openOnReserve(reserve, {
    folder: paths.stateFolder,
    copies: { ...sessionFolders(paths), cwd: (agentId) => config.agents.find(({ id }) => id === agentId)?.workspace ?? paths.workspace },
    processId: process.pid,
    ...system,
    onDamage: (damage) => reportDamage(damage),
    onStructureDamage: () => onShutdownRequest(DAMAGED_DATABASE),
  });
  const [roots, editors] = [createRunRoots(paths, () => config), new EditorLinks(system)];
  const current = { ...system, roots, secrets, editors, currentConfig: () => config };
  const { files, checkpoints, provenance, audit, owned, watchNotes } = composeFileAccess(loaded, { store, ...current });
  await using opened = new AsyncDisposableStack();
  opened.defer(() => store.close());
  opened.defer(() => leaving.abort());
  expectKeys(config);
  const { host, runner } = await openRunners(opened, loaded, { context, ...current });
  const skillRuns = new SkillRuns({ context, currentConfig: () => config, secrets, logger, signal: leaving.signal });
  const { plugins, acp, ...integrations } = await openIntegrations(opened, loaded, { context, store, files, provenance, ...current });
  const notices = [...tokenNotices, ...(await plugins.load(config)), ...(await settingNotices(config, env))];
  const settings = createSettingsService({ options: async () => configOptions(env), reload: async () => reloader.reload() });
  const parts = { context, files, runner: watchNotes(runner), skillRuns, ...integrations, plugins, settings, secrets, logger };
  const reloader = new ConfigReloader({
    context,
    started: { ...loaded, problems: [...loaded.problems, ...notices] },
    load: async () => loadConfig(await configOptions(env)),
    apply: async (next, { force }) => {
      const { token: nextToken, notices: nextNotices } = await gatewayToken(next.config, { paths, env, listensAt: loaded.config });
      secrets.add([...secretValues(next.config, env), ...(nextToken === undefined ? [] : [nextToken])]);
      expectKeys(next.config);
      const pluginNotices = await plugins.load(next.config);
      await gateway.reload(settingsOf(next.config, { ...parts, token: nextToken }), { keysChanged: force });
      config = next.config;
      return [...nextNotices, ...pluginNotices, ...(await settingNotices(next.config, env))];
    },
    remember: rememberConfig,
    limitsKeptBy: host.limitsKeptBy,
    logger,
  });
  const { memory, ...asked } = services({ context, loaded, control: reloader, owned, ...current, ...integrations });
  const gateway = await startGateway({
    ...settingsOf(config, { ...parts, token }),
    version: context.version,
    home: paths.home,
    configControl: reloader,
    ...asked,
    store,
    damage: store.damage,
    reserve,
    checkpoints,
    memory: { provider: integrations.memory.provider, embedWith: integrations.memory.embedWith, audit, ...memory },
    editors,
    hostCommands: host,
    localFiles: createLocalFiles(files, createOutgoingGuard(paths, secrets.toolOutput)),
    skillUse: skillRuns,
    hookSources: () => [...plugins.hooks(), ...commandHookSources(config.commandHooks, { runner: host, folder: paths.home, logger })],
    ...system,
    ...ofThisBuild(plugins, acp),
    ...requests,
    ...ofSecrets(secrets),
    ...ofEnvironment(context, logger),
  });
  reportDamage = (damage) => gateway.engine.reports.damage(damage);
  for (const damage of found.splice(0)) reportDamage(damage);
  const database = keepDatabase(gateway, { store, logger, wasKilled, onShutdownRequest });
  const cleaning = systemClock.schedule(CLEAN_AFTER_MS, () => void removeLeftovers(store, { paths, config, logger }));
  const watch = watchConfig({ env, clock: systemClock, onChange: () => void reloader.reload() });
  return { gateway, token, notices, close: closeOnce(opened.move(), { gateway, leaving, others: [database, cleaning, watch] }) };
}

/** What `doctor` finds in the settings, too. */
async function settingNotices(config: FactotumConfig, env: CliContext["env"]): Promise<readonly ConfigProblem[]> {
  return [...(await webSearchNotices(config, env)), ...(await sharedLogins({ config }, { env, catalog: async () => channelCatalog(env) }))];
}

/** Ends everything in reverse order, once. A stopped run does not wait for its command, which has a grace period. */
function closeOnce(
  ends: AsyncDisposableStack,
  { gateway, leaving, others }: { readonly gateway: Gateway; readonly leaving: AbortController; readonly others: readonly Disposable[] },
): ComposedGateway["close"] {
  const close = async (reason: string): Promise<void> => {
    leaving.abort();
    for (const one of others) one[Symbol.dispose]();
    ends.defer(() => gateway.stop(reason));
    await ends.disposeAsync();
  };
  let closing: Promise<void> | undefined;
  return (reason) => (closing ??= close(reason));
}

/** The runner of the host, which is closed with the rest, and the one in front of it that puts commands into sandboxes. */
async function openRunners(
  opened: AsyncDisposableStack,
  loaded: LoadedConfig,
  {
    context,
    roots,
    secrets,
    editors,
    currentConfig,
    ...system
  }: Pick<ComposeOptions, "context" | "logger" | "secrets"> &
    Pick<OpenRunnerOptions, "clock" | "random"> & {
      readonly roots: RunRoots;
      readonly editors: EditorLinks;
      readonly currentConfig: () => FactotumConfig;
    },
): Promise<{ readonly host: HostRunner; readonly runner: CommandRunner }> {
  const host = await openRunner(context, { ...system, redactor: secrets.toolOutput, currentConfig });
  opened.defer(() => host.close());
  opened.defer(() => editors.close());
  await removeProxySockets(sandboxFolder(context.paths));
  const sandboxOf = createSandboxOf(loaded, { roots, currentConfig });
  const network = { openProxy: createOpenCommandProxy(system), node: process.execPath };
  const runner = openSandbox(context, { ...system, host, ownsContainers: true, sandboxOf, network });
  const isSecret = (value: string): boolean => secrets.hide(value) !== value;
  const baseEnv = await commandEnvironment(context, system.logger);
  const inEditors = createEditorRunner({
    runner,
    terminals: editors,
    baseEnv,
    redactor: secrets.toolOutput,
    isSecret,
    clock: system.clock,
  });
  return { host, runner: inEditors };
}

/** Takes snapshots of the database, and requests a restart if its file is removed. */
function keepDatabase(
  { engine }: Gateway,
  options: Pick<ComposeOptions, "logger" | "onShutdownRequest"> & { readonly store: SqliteStore; readonly wasKilled: boolean },
): Disposable {
  const kept = new DisposableStack();
  kept.use(keepSnapshots({ ...options, clock: systemClock }));
  const refuse = (reason: string): void => engine.parts.storage.refuse(reason);
  kept.use(watchDatabase({ ...options, clock: systemClock, refuse, onSaved: () => options.onShutdownRequest(DAMAGED_DATABASE) }));
  return kept;
}

function ofSecrets(secrets: SecretFilter): Pick<GatewayOptions, "onSecret" | "hideSecrets"> {
  return { onSecret: (value) => secrets.add([value]), hideSecrets: (text) => secrets.hide(text) };
}

function ofEnvironment(context: CliContext, logger: Logger): Pick<GatewayOptions, "environment" | "commandSearchPath" | "crashPoint"> {
  return { environment: context.env, commandSearchPath: commandSearchPath(context), ...crashPointFrom(context.env, logger) };
}

/** What this build has, whatever the configuration says. */
function ofThisBuild(
  plugins: ComposedPlugins,
  acp: Integrations["acp"],
): Pick<
  GatewayOptions,
  | "externalAgents"
  | "drainMs"
  | "remoteFiles"
  | "imageWorker"
  | "importWorker"
  | "webFolder"
  | "commands"
  | "documentation"
  | "fetch"
  | "pluginRoutes"
> {
  return {
    externalAgents: acp.agents,
    drainMs: DRAIN_MS,
    remoteFiles: { fetch: createPublicFetch({ clock: systemClock }) },
    imageWorker: pathToFileURL(assetPath("image-worker")),
    importWorker: pathToFileURL(assetPath("import-worker")),
    ...(existsSync(assetPath("web")) ? { webFolder: assetPath("web") } : {}),
    commands: AGENT_COMMANDS,
    documentation: { folder: assetPath("documentation") },
    fetch: createPluginFetch(plugins),
    pluginRoutes: (id) => plugins.routes(id),
  };
}

/** Removes unfinished files of killed processes. A failure is only logged. */
async function removeLeftovers(
  store: SqliteStore,
  { paths, config, logger }: Pick<LoadedConfig, "paths" | "config"> & { readonly logger: Logger },
): Promise<void> {
  const sandboxes = config.agents.flatMap(({ sandbox }) => sandbox.workspaceRoot ?? []);
  try {
    await store.removeUnfinished();
    const removed = await removeTemporaryFiles({
      folders: [paths.home, ...config.agents.map(({ workspace }) => workspace), ...sandboxes],
      ownFolders: [paths.stateFolder, paths.credentialsFolder, join(paths.home, "media")],
      startedAtMs: performance.timeOrigin,
    });
    if (removed > 0) logger.info("Temporary files of killed processes were removed", { removed });
  } catch (error) {
    logger.warn("Temporary files of killed processes could not be removed", { error });
  }
}

/** A disk that was full when the last gateway ended is still full: this start uses the reserve, so that the owner can talk to it. */
async function openOnReserve(reserve: DiskReserve, options: SqliteStoreOptions): Promise<SqliteStore> {
  try {
    return await openSqliteStore(options);
  } catch (error) {
    if (!isStorageFull(error) || !(await reserve.free())) throw error;
    options.logger.warn("The disk is full: the reserve was given back for this start", { reason: error.message });
    return openSqliteStore(options);
  }
}
