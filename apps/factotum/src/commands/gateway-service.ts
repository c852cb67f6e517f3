import { withoutUndefined } from "@factotum/agent-contract";
import { loadConfig } from "@factotum/config";
import { configOptions } from "../compose/extensions.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { readRuntimeFile } from "../runtime/runtime-file.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import { systemService } from "../service/find-service.ts";
import type { ServiceOptions, SystemService } from "../service/system-service.ts";
import { findEnvironmentKeys, storeEnvironmentKeys } from "./environment-keys.ts";
import { stopGateway, waitForService } from "./gateway-control.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** Options of an installation, besides writing the service. */
export interface InstallOptions {
  readonly json: boolean;
  /** The port of the service; by default that of a running gateway, otherwise that of `FACTOTUM_PORT` or the configuration. */
  readonly port?: number;
  /** Store keys of the environment in files without asking. */
  readonly storeKeys: boolean;
}

/** Installs the system's service, and waits until its gateway is ready. */
export async function installService(context: CliContext, options: InstallOptions): Promise<number> {
  const service = requireService(context);
  // Checked before anything is stopped or written: without a service manager the gateway keeps running, and nothing is left behind.
  await service.checkSession();
  const places = await keepEnvironmentKeys(context, options);
  const { before, port } = await stopManualGateway(context, service, options);
  await service.install(withoutUndefined({ port }));
  const { facts } = await waitForService(context, service, before);
  if (options.json) {
    printJson(context, { manager: service.manager, file: service.file, installed: true, url: facts.url, keys: places });
    return EXIT.ok;
  }
  context.print(`Installed and started with ${service.manager}: ${service.file}\nThe gateway takes work at ${facts.url}\n`);
  if (service.manager === "systemd") context.note("To keep it running while you are logged out: loginctl enable-linger\n");
  return EXIT.ok;
}

/** Removes the system's service; configuration and conversations stay. */
export async function uninstallService(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const service = requireService(context);
  const installed = await service.isInstalled();
  if (installed) await service.uninstall();
  if (json) printJson(context, { manager: service.manager, file: service.file, installed: false });
  else
    context.print(installed ? "The service is removed. Configuration and conversations were kept.\n" : "The service is not installed.\n");
  return EXIT.ok;
}

function requireService(context: CliContext): SystemService {
  const service = systemService(context);
  if (service !== undefined) return service;
  throw new CliError("failure", `There is no service manager for ${context.platform}.`, { fix: 'Use "factotum gateway start".' });
}

/**
 * Stops a gateway that was started by hand, which would block the port and the database, and takes over its port if that is not the configured one. A running
 * service continues: the installation restarts it.
 */
async function stopManualGateway(
  context: CliContext,
  service: SystemService,
  { port }: InstallOptions,
): Promise<ServiceOptions & { readonly before: Awaited<ReturnType<typeof readRuntimeFile>> }> {
  const { env, paths } = context;
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const configured = loaded.config.gateway.port;
  const fromEnvironment = (env["FACTOTUM_PORT"] ?? "").trim() === "" ? undefined : configured;
  const before = await readRuntimeFile(paths);
  const isRunning = await runs(context);
  const isInstalled = await service.isInstalled();
  if (isRunning && !(isInstalled && (await service.isRunning()))) await stopGateway(context);
  if (isInstalled) return { before, ...withoutUndefined({ port: port ?? fromEnvironment }) };
  const taken = isRunning && before !== undefined && configured !== 0 && before.port !== configured ? before.port : undefined;
  return { before, ...withoutUndefined({ port: port ?? taken ?? fromEnvironment }) };
}

async function runs(context: CliContext): Promise<boolean> {
  using gateway = await findGateway(context);
  return gateway !== undefined;
}

/** A service does not see the variables of this shell: stores their keys in files, if the person agrees. */
async function keepEnvironmentKeys(context: CliContext, { storeKeys, json }: InstallOptions): Promise<readonly string[]> {
  const keys = await findEnvironmentKeys(context);
  if (keys.length === 0) return [];
  const names = keys.map(({ variable }) => variable).join(", ");
  const question = `The service does not see the variables of this shell. Keep ${names} in files that only you may read?`;
  if (storeKeys || (!json && (await context.confirm?.(question)) === true)) {
    const places = await storeEnvironmentKeys(context, keys);
    context.note(`Kept, readable only by you: ${places.join(", ")}\n`);
    return places;
  }
  context.note(`The service does not see ${names} of this shell. To keep them for it: factotum gateway install --store-keys\n`);
  return [];
}
