import { existsSync } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger } from "@factotum/agent-contract";
import { formatProblem, isExposed, loadConfig, rememberConfig, type LoadedConfig, type StatePaths } from "@factotum/config";
import { findDatabaseOwner } from "@factotum/store";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { composeGateway, DAMAGED_DATABASE, type ComposedGateway, type ComposeOptions } from "../compose/compose-gateway.ts";
import { configOptions } from "../compose/extensions.ts";
import { createAdminServices } from "../admin/create-admin-services.ts";
import { earlierProjects } from "../extensions/project-folders.ts";
import { createLogger } from "../runtime/create-logger.ts";
import { containCrashes } from "../runtime/contain-crashes.ts";
import { fullDiskError } from "../runtime/full-disk.ts";
import { LIST_NAME } from "../forget/list-name.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { LogFile } from "../runtime/log-file.ts";
import { LOG_LEVELS } from "../runtime/log-line.ts";
import { saveCode } from "../runtime/tuning/code-cache.ts";
import { collectGarbage, releaseMemoryAtRest } from "../runtime/tuning/release-memory.ts";
import { RecoveryLimit } from "../runtime/recovery-limit.ts";
import { readRuntimeFile } from "../runtime/runtime-file.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { tuneRunning } from "../runtime/tuning/tune-process.ts";
import { addressOf } from "./address-of.ts";
import { describeNetwork, networkUrls } from "./network-addresses.ts";
import { refusedStart } from "../runtime/refused-start.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import { spawnRestart } from "./spawn-restart.ts";

/** Options of a start. */
export interface GatewayRunOptions {
  readonly port?: number;
  readonly bind?: string;
  readonly setup: boolean;
  /** The output goes to a log, which must not contain the token. */
  readonly hideToken: boolean;
  /** No one reads the output: events go to the log file alone. */
  readonly quiet: boolean;
}

/** How long a stop may take before the process ends anyway; unfinished turns are resumed by the next start. */
const STOP_BUDGET_MS = 30_000;

/** How long the code of channels is waited for before everything counts as loaded. */
const CONNECT_BUDGET_MS = 5_000;

/** Runs the gateway until a signal or a client stops it. A start that fails on a full disk says that in one line; a running one waits for space. */
export async function gatewayRun(context: CliContext, options: GatewayRunOptions): Promise<number> {
  try {
    return await runUntilStopped(context, options);
  } catch (error) {
    // One without a cause has a reason of its own: another gateway, the configuration.
    if (error instanceof CliError && error.cause === undefined) throw error;
    throw (await fullDiskError(context.paths.home, error)) ?? error;
  }
}

async function runUntilStopped(context: CliContext, options: GatewayRunOptions): Promise<number> {
  if (options.setup) await setUp(context);
  let loaded = withOverrides(await load(context), options);
  using _home = await holdOrRefuse(context, loaded.paths, options);
  await forgetAgain(context);
  const secrets = new SecretFilter();
  const named = LOG_LEVELS.find((candidate) => candidate === context.env["FACTOTUM_LOG_LEVEL"]);
  await using file = await LogFile.open(loaded.paths.logFile, {
    onFailure: (error) => context.note(`factotum: the log ${loaded.paths.logFile} cannot be written: ${describe(error)}\n`),
  });
  const logger = createLogger({
    write: options.quiet ? () => undefined : context.note,
    pretty: process.stderr.isTTY,
    keep: (line) => file.write(line),
    level: named ?? "info",
    secrets,
  });
  for (const problem of loaded.problems) logger.warn(`Configuration: ${formatProblem(problem)}`);
  const removeEarlier = await earlierExtensions(loaded.paths, logger);
  let stop = new StopRequest();
  context.signal.addEventListener("abort", () => stop.make(String(context.signal.reason)), { once: true });
  if (context.signal.aborted) stop.make(String(context.signal.reason));
  using _crashes = containCrashes(logger, () => stop.make("too many internal errors"));
  const recoveries = new RecoveryLimit(systemClock);
  let wasAnnounced = false;
  for (;;) {
    const onRestartRequest = async (): Promise<void> => restart(context);
    const restarting = { requireStart: async () => requireStart(context), restart: onRestartRequest };
    const services: ComposeOptions["services"] = (parts) => createAdminServices(parts, restarting);
    const compose = { context, loaded, logger, secrets, services, onRestartRequest };
    const stopped = await runOnce(compose, stop, async (composed) => {
      if (wasAnnounced) context.print("The gateway has rebuilt its database and continues.\n");
      else await announce(context, options.hideToken ? { ...composed, token: undefined } : composed, loaded);
      if (!wasAnnounced) void removeEarlier?.();
      wasAnnounced = true;
    });
    if (!stopped || stop.reason === "too many internal errors") return EXIT.failure;
    if (stop.reason !== DAMAGED_DATABASE || context.signal.aborted) return EXIT.ok;
    if (!recoveries.take()) throw new CliError("failure", "The database keeps getting damaged.", { fix: "Check the disk." });
    // The next start rebuilds the database, with the current configuration.
    loaded = withOverrides(await load(context), options);
    stop = new StopRequest();
  }
}

/** Before the log is opened, which may go. */
async function forgetAgain({ paths, env, note }: CliContext): Promise<void> {
  if (!existsSync(join(paths.home, LIST_NAME))) return;
  const { applyForgotten } = await import("../forget/apply-forgotten.ts");
  const count = await applyForgotten(paths, env);
  if (count > 0) note(`factotum: what was forgotten is removed from this database again (${count})\n`);
}

async function earlierExtensions(paths: StatePaths, logger: Logger): Promise<(() => Promise<void>) | undefined> {
  if ((await earlierProjects(paths)).length === 0) return undefined;
  const { findEarlierProjects } = await import("../extensions/remove-earlier-projects.ts");
  return findEarlierProjects(paths, logger);
}

async function restart(context: CliContext): Promise<void> {
  await requireStart(context);
  await spawnRestart(context);
}

async function requireStart(context: CliContext): Promise<void> {
  // Not before somebody asks for a restart: a start loads as little as it can.
  const { refuseVainRestart } = await import("./gateway-control.ts");
  await refuseVainRestart(context);
}

/** Why a gateway stops; the first reason wins. */
class StopRequest {
  readonly #made = Promise.withResolvers<string>();
  #reason: string | undefined;

  /** Absent while it runs. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get made(): Promise<string> {
    return this.#made.promise;
  }

  make(reason: string): void {
    this.#reason ??= reason;
    this.#made.resolve(reason);
  }
}

/**
 * Starts a gateway, and runs it until it stops; resolves with false if it could not be stopped in time. A start that finds the database damaged ends like a
 * gateway that finds it later.
 */
async function runOnce(
  compose: Omit<ComposeOptions, "onShutdownRequest">,
  stop: StopRequest,
  announceReady: (composed: ComposedGateway) => Promise<void>,
): Promise<boolean> {
  const { context, loaded, logger } = compose;
  let composed: ComposedGateway | undefined;
  using kept = new DisposableStack();
  try {
    composed = await composeGateway({ ...compose, onShutdownRequest: (reason) => stop.make(reason) });
    await rememberConfig(loaded);
    for (const problem of composed.notices) logger.warn(`Configuration: ${formatProblem(problem)}`);
    logger.info("Factotum is ready", { version: context.version, url: composed.gateway.url, pid: process.pid });
    kept.use(releaseMemoryAtRest({ clock: systemClock, cpuMs: cpuTimeMs, release: collectGarbage }));
    await announceReady(composed);
    await within(CONNECT_BUDGET_MS, Promise.race([composed.gateway.engine.connected, stop.made]));
    await settle(loaded.paths, logger);
  } catch (error) {
    if (stop.reason !== DAMAGED_DATABASE) throw error;
    logger.warn("The start met damage of the database: it begins again", { error });
  }
  const reason = await stop.made;
  logger.info("Stopping", { reason });
  const closed = composed?.close(reason).catch((error: unknown) => {
    if (reason !== DAMAGED_DATABASE) throw error;
    logger.warn("The stop met damage of the database", { error });
  });
  if (closed === undefined || (await within(STOP_BUDGET_MS, closed))) return true;
  logger.warn("The stop took too long; what is unfinished is taken up at the next start", { budgetMs: STOP_BUDGET_MS });
  return false;
}

/** Runs once everything that a start needs is loaded. */
async function settle(paths: StatePaths, logger: Logger): Promise<void> {
  try {
    await saveCode(paths);
  } catch (error) {
    logger.warn("The compiled code of earlier versions could not be removed", { error });
  }
  tuneRunning();
}

/** Two gateways on one state directory would answer everything twice, and the later one would fence off the earlier one. */
async function holdOrRefuse(
  context: CliContext,
  paths: StatePaths,
  { hideToken }: Pick<GatewayRunOptions, "hideToken">,
): Promise<Disposable> {
  const held = await holdHome(paths);
  if (held !== undefined) return held;
  const other = await readRuntimeFile(paths);
  const owner = other?.pid ?? findDatabaseOwner(paths.stateFolder, isProcessAlive);
  const where = owner === undefined ? "" : ` (${other === undefined ? "" : `${other.url}, `}process ${owner})`;
  // Without a token that it accepts, the address is shown without one.
  using running = hideToken ? undefined : await findGateway(context).catch(() => undefined);
  const open = other === undefined ? "" : `Open its page: ${addressOf(other.url, running?.token)}\n`;
  throw new CliError("failure", `Another gateway uses ${paths.home}${where}.`, {
    fix: `${open}Stop it with "factotum gateway stop", or give this one a state directory of its own: FACTOTUM_HOME.`,
  });
}

async function setUp(context: CliContext): Promise<void> {
  const { describeSetup, runSetup } = await import("../setup/run-setup.ts");
  const report = await runSetup(context, { writesSchema: false });
  if (report.config.created) context.note(`${describeSetup(report).join("\n")}\n\n`);
}

async function load(context: CliContext): Promise<LoadedConfig> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "loaded") {
    if (loaded.source === "last-good") {
      const why = loaded.problems.some(({ type }) => type === "missing") ? "is not there any more" : "cannot be used";
      context.note(`factotum: ${loaded.path} ${why}. The gateway runs with the last good copy; see "factotum config validate".\n`);
    }
    return loaded;
  }
  throw refusedStart(loaded);
}

function withOverrides(loaded: LoadedConfig, { port, bind }: GatewayRunOptions): LoadedConfig {
  const gateway = {
    ...loaded.config.gateway,
    ...withoutUndefined({ port }),
    ...(bind === undefined ? {} : { bind: checkedBind(bind) }),
  };
  if (gateway.auth.mode === "none" && isExposed(gateway)) {
    throw new CliError(
      "usage",
      `With gateway.auth.mode "none" everybody who reaches ${gateway.publicUrl ?? gateway.bind} would be the owner.`,
      {
        fix: 'Set gateway.auth.mode to "token", or bind to loopback without gateway.publicUrl.',
      },
    );
  }
  return { ...loaded, config: { ...loaded.config, gateway } };
}

function checkedBind(bind: string): string {
  if (bind === "loopback" || bind === "lan" || /^[\d.]+$/.test(bind) || bind.includes(":")) return bind;
  throw new CliError("usage", `--bind ${bind} is neither loopback, nor lan, nor an IP address.`, {
    fix: "Use loopback unless other devices need to connect.",
  });
}

async function announce(
  context: CliContext,
  { gateway, token, notices }: ComposedGateway,
  { config, inactive }: LoadedConfig,
): Promise<void> {
  const status = await gateway.status();
  const agents = status.agents.map(
    ({ id, model, modelProblem, modelNote }) =>
      `${id}: ${model}${modelProblem === undefined ? "" : ` (${modelProblem})`}${modelNote === undefined ? "" : `\n  ${modelNote}`}`,
  );
  context.print(`Factotum ${context.version} is ready.\n\n  ${addressOf(gateway.url, token)}\n`);
  context.print(status.publicUrl === undefined ? "\n" : `  ${addressOf(status.publicUrl, token)}\n\n`);
  const network = await describeNetwork(networkUrls(config.gateway.bind, Number(new URL(gateway.url).port)), token);
  if (network !== "") context.print(`${network}\n`);
  for (const problem of notices) context.print(`! ${formatProblem(problem)}\n`);
  context.print(`${agents.join("\n")}\n`);
  const isDemo = status.agents.some(({ model }) => model.startsWith("demo/"));
  if (isDemo)
    context.print(`\nThe demo model answers. For a real one, open the address above and choose a provider, or run: factotum setup\n`);
  if (inactive.length > 0) context.print(`Not active yet in this build: ${inactive.join(", ")}\n`);
}

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : "unknown failure";
}

async function within(budgetMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), budgetMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
