import { setTimeout as delay } from "node:timers/promises";
import { withoutUndefined } from "@factotum/agent-contract";
import { listProblems, loadConfig, type LoadedConfig, type RefusedConfig } from "@factotum/config";
import { CHILD_VARIABLE } from "@factotum/sandbox";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { configOptions } from "../compose/extensions.ts";
import { findGateway, findSilentGateway, requestError, silentError } from "../rpc/connect-gateway.ts";
import { addressOf } from "./address-of.ts";
import { describeNetwork, networkUrls } from "./network-addresses.ts";
import { refusedStart } from "../runtime/refused-start.ts";
import { spawnRestart } from "./spawn-restart.ts";
import { ConnectionError } from "../rpc/rpc-errors.ts";
import { isProcessAlive } from "../runtime/is-process-alive.ts";
import { readRuntimeFile, type RuntimeFacts } from "../runtime/runtime-file.ts";
import { isReady, startDetached } from "../runtime/start-detached.ts";
import { START_LIMITS, startProgress, waitForStart, type StartLimits } from "../runtime/wait-for-start.ts";
import { systemService } from "../service/find-service.ts";
import type { SystemService } from "../service/system-service.ts";

const STOP_TIMEOUT_MS = 45_000;
const POLL_MS = 50;

/** Options of `gateway start`, `stop` and `restart`. */
export interface GatewayControlOptions {
  readonly json: boolean;
  /** The port of a start, instead of the configured one; 0 picks a free one. */
  readonly port?: number;
}

/** Shows whether the gateway runs, starts it, stops it. */
export async function gatewayControl(
  context: CliContext,
  action: "status" | "start" | "stop" | "restart",
  { json, ...options }: GatewayControlOptions,
): Promise<number> {
  switch (action) {
    case "status":
      return reportRunning(context, json);
    case "start":
      return reportStarted(context, await startGateway(context, options), json);
    case "stop": {
      const stopped = await stopGateway(context);
      const silent = stopped ? undefined : await findSilentGateway(context);
      if (silent !== undefined) throw silentError(silent);
      if (json) printJson(context, { running: false, stopped });
      else context.print(stopped ? "The gateway has stopped.\n" : "The gateway was not running.\n");
      return EXIT.ok;
    }
    case "restart":
      await refuseVainRestart(context);
      if (context.env[CHILD_VARIABLE] !== undefined) return restartLater(context, json);
      return reportStarted(context, await restartGateway(context), json);
  }
}

/** Refuses to restart with a file that the next start would refuse: a running gateway is not stopped for that. */
export async function refuseVainRestart(context: Pick<CliContext, "env">): Promise<void> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  if (!isBroken(loaded)) return;
  throw new CliError("configInvalid", `${loaded.path} cannot be used:\n${listProblems(loaded.problems)}`, {
    fix: 'Repair the file and check it with "factotum config validate". The gateway was not restarted.',
  });
}

/** True if the last good copy would run in place of an existing file. */
function isBroken(loaded: LoadedConfig | RefusedConfig): loaded is LoadedConfig {
  return loaded.type === "loaded" && loaded.source === "last-good" && !loaded.problems.some(({ type }) => type === "missing");
}

/**
 * Restarts the gateway by a detached helper. A command that the gateway itself runs ends with it, so it would stop the gateway and never start it again; and it
 * has few variables of the gateway's environment, so a gateway started from it would have no keys. Therefore the running gateway is asked to restart.
 */
async function restartLater(context: CliContext, json: boolean): Promise<number> {
  using gateway = await findGateway(context);
  try {
    if (gateway === undefined) await spawnRestart(context);
    else await gateway.client.request("gateway.restart", {}, { signal: context.signal });
  } catch (error) {
    throw requestError(error);
  }
  if (json) printJson(context, { restarting: true });
  else context.print("The gateway is restarting. Unfinished work, this command included, continues afterwards.\n");
  return EXIT.ok;
}

async function reportRunning(context: CliContext, json: boolean): Promise<number> {
  using gateway = await findGateway(context);
  if (json) printJson(context, gateway === undefined ? { running: false } : { running: true, ...gateway.facts });
  else if (gateway === undefined) context.print('The gateway is not running. Start it with "factotum gateway start".\n');
  else context.print(`The gateway runs at ${gateway.facts.url} (process ${gateway.facts.pid}, version ${gateway.facts.version}).\n`);
  return gateway === undefined ? EXIT.notRunning : EXIT.ok;
}

/** A gateway that was started, or ran. */
export interface Started {
  readonly facts: RuntimeFacts;
  readonly how: "was running already" | "runs now" | "runs now, as a service";
}

async function reportStarted(context: CliContext, { facts, how }: Started, json: boolean): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (isBroken(loaded))
    context.note(`factotum: ${loaded.path} cannot be used. The gateway runs with the last good copy; see "factotum config validate".\n`);
  if (json) {
    printJson(context, { running: true, ...facts });
    return EXIT.ok;
  }
  using gateway = await findGateway(context);
  context.print(`The gateway ${how}: ${addressOf(facts.url, gateway?.token)}\n`);
  if (gateway === undefined) return EXIT.ok;
  const { publicUrl } = await gateway.client.request("status", {}, { signal: context.signal }).catch((error: unknown) => {
    throw requestError(error);
  });
  if (publicUrl !== undefined) context.print(`From outside: ${addressOf(publicUrl, gateway.token)}\n`);
  if (loaded.type === "loaded") context.print(await describeNetwork(networkUrls(loaded.config.gateway.bind, facts.port), gateway.token));
  return EXIT.ok;
}

/** Starts the gateway unless it runs, as a service if it is installed as one, and waits until it is ready. Rejects with a `CliError`. */
export async function startGateway(context: CliContext, { port }: Pick<GatewayControlOptions, "port"> = {}): Promise<Started> {
  {
    using running = await findGateway(context);
    if (running !== undefined) {
      const { facts } = running;
      if (port === undefined || port === 0 || port === facts.port) return { facts, how: "was running already" };
      throw new CliError("failure", `The gateway runs already, at ${facts.url}.`, {
        fix: `Stop it first with "factotum gateway stop", then start it at port ${port}.`,
      });
    }
  }
  const service = systemService(context);
  if (service === undefined || !(await service.isInstalled()))
    return { facts: await startDetached(context, withoutUndefined({ port })), how: "runs now" };
  if (port !== undefined)
    throw new CliError("usage", "The gateway is installed as a service, which has a port of its own.", {
      fix: `Change it with "factotum gateway install --port ${port}".`,
    });
  const before = await readRuntimeFile(context.paths);
  await service.start();
  return waitForService(context, service, before);
}

async function restartGateway(context: CliContext): Promise<Started> {
  const service = systemService(context);
  const before = await readRuntimeFile(context.paths);
  if (service !== undefined && (await service.isInstalled()) && (await service.restart()))
    return waitForService(context, service, before, {
      stallMs: STOP_TIMEOUT_MS + START_LIMITS.stallMs,
      maxMs: STOP_TIMEOUT_MS + START_LIMITS.maxMs,
    });
  await stopGateway(context);
  return startGateway(context);
}

/** Waits until a started service is ready, as long as it makes progress. Rejects with a `CliError` that names its log. */
export async function waitForService(
  context: CliContext,
  service: SystemService,
  before: RuntimeFacts | undefined,
  limits: StartLimits = START_LIMITS,
): Promise<Started> {
  const { paths, signal } = context;
  const look = async (): Promise<RuntimeFacts | undefined> => {
    const now = await readRuntimeFile(paths);
    return now !== undefined && now.startedAtMs !== before?.startedAtMs && (await isReady(now.url)) ? now : undefined;
  };
  const started = await waitForStart({ look, progress: async () => startProgress(paths), limits, signal });
  if (started.type === "ready") return { facts: started.value, how: "runs now, as a service" };
  throw new CliError(
    "failure",
    `${service.manager} has started the service, but the gateway is not ready after ${Math.round(started.waitedMs / 1000)} seconds. It may still be starting.`,
    {
      fix:
        service.manager === "systemd"
          ? 'See whether it runs: "factotum gateway status". Its log: journalctl --user -u factotum'
          : `See whether it runs: "factotum gateway status". Its log: ${paths.outputFile} and ${paths.logFile}`,
    },
  );
}

/** Stops the gateway and waits until its process has ended. Resolves with false if none was running. */
export async function stopGateway(context: CliContext): Promise<boolean> {
  const facts = await askToStop(context);
  if (facts === undefined) return false;
  const gone = await waitFor(STOP_TIMEOUT_MS, () => Promise.resolve(isProcessAlive(facts.pid) ? undefined : true));
  if (gone === true) return true;
  throw new CliError("failure", `The gateway (process ${facts.pid}) is still busy after ${STOP_TIMEOUT_MS / 1000} seconds.`, {
    fix: `Wait, or stop it now with kill -9 ${facts.pid}; it resumes what it had accepted at the next start.`,
  });
}

async function askToStop(context: CliContext): Promise<RuntimeFacts | undefined> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return undefined;
  const service = systemService(context);
  // The service manager must know that the stop is intended.
  if (service !== undefined && (await service.isInstalled()) && (await service.isRunning())) await service.stop();
  if (!isProcessAlive(gateway.facts.pid)) return gateway.facts;
  try {
    await gateway.client.request("gateway.shutdown", { reason: "factotum gateway stop" }, { signal: context.signal });
  } catch (error) {
    // It may close the connection before its answer is sent, as requested.
    if (!(error instanceof ConnectionError) || context.signal.aborted) throw requestError(error);
  }
  return gateway.facts;
}

async function waitFor<Value>(timeoutMs: number, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(POLL_MS);
  }
  return undefined;
}
