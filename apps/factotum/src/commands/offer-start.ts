import { spawn } from "node:child_process";
import { findGateway } from "../rpc/connect-gateway.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import type { Prompts } from "../runtime/prompts.ts";
import { systemService } from "../service/find-service.ts";
import type { SystemService } from "../service/system-service.ts";
import { addressOf } from "./address-of.ts";
import { gatewayControl } from "./gateway-control.ts";
import { installService } from "./gateway-service.ts";

/** Offers the service, or a start on systems without one, and the page. False when the person has left. */
export async function offerStart(context: CliContext, prompts: Prompts): Promise<boolean> {
  const service = await usableService(context);
  if (service !== undefined) {
    const answer = await prompts.confirm(`Start Factotum with every session of yours (${service.manager})?`, true);
    if (answer === undefined) return false;
    const confirm = async (question: string): Promise<boolean> => (await prompts.confirm(question, true)) === true;
    if (answer && (await succeeds(prompts, async () => installService({ ...context, confirm }, { json: false, storeKeys: false }))))
      return offerPage(context, prompts);
  }
  if (!(await isRunning(context))) {
    const answer = await prompts.confirm("Start the gateway now, in the background?", true);
    if (answer === undefined) return false;
    if (answer) await succeeds(prompts, async () => gatewayControl(context, "start", { json: false }));
  }
  return offerPage(context, prompts);
}

/** A service that can be installed and is not; none in a session without a manager. */
async function usableService(context: CliContext): Promise<SystemService | undefined> {
  const service = systemService(context);
  if (service === undefined || (await service.isInstalled())) return undefined;
  try {
    await service.checkSession();
    return service;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

async function succeeds(prompts: Prompts, action: () => Promise<number>): Promise<boolean> {
  try {
    return (await action()) === 0;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    prompts.say("warning", [error.message, error.fix ?? ""].join(" ").trimEnd());
    return false;
  }
}

async function isRunning(context: CliContext): Promise<boolean> {
  using gateway = await findGateway(context);
  return gateway !== undefined;
}

async function offerPage(context: CliContext, prompts: Prompts): Promise<boolean> {
  using gateway = await findGateway(context);
  if (gateway === undefined) {
    prompts.say("info", 'Start it when you like: "factotum gateway start" prints the address of the page.');
    return true;
  }
  const address = addressOf(gateway.facts.url, gateway.token);
  const opener = browserCommand(context);
  const answer = opener === undefined ? false : await prompts.confirm("Open the page in the browser?", true);
  if (answer === undefined) return false;
  prompts.say("success", `The page: ${address}`);
  // The address goes to the person's own browser; that the program is missing is no failure of the setup.
  if (answer && opener !== undefined)
    spawn(opener, [address], { detached: true, stdio: "ignore" })
      .on("error", () => undefined)
      .unref();
  return true;
}

/** The program that opens an address on this system; `undefined` without a screen. */
function browserCommand({ platform, env }: CliContext): string | undefined {
  if (platform === "darwin") return "open";
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return platform === "linux" && hasScreen ? "xdg-open" : undefined;
}
