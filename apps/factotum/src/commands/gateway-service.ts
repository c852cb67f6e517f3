import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import { systemService } from "../service/find-service.ts";
import { stopGateway } from "./gateway-control.ts";

/** Installs or removes the system's service. */
export async function gatewayService(
  context: CliContext,
  action: "install" | "uninstall",
  { json }: { readonly json: boolean },
): Promise<number> {
  const service = systemService(context);
  if (service === undefined) {
    throw new CliError("failure", `There is no service manager for ${context.platform}.`, { fix: 'Use "factotum gateway start".' });
  }
  const installed = await service.isInstalled();
  if (action === "uninstall" && !installed) {
    if (json) printJson(context, { manager: service.manager, file: service.file, installed: false });
    else context.print("The service is not installed.\n");
    return EXIT.ok;
  }
  if (action === "install") {
    // Asked before anything is stopped or written: where no service can take its place, the gateway goes on, and nothing is left behind.
    await service.checkSession();
    // A gateway that was started by hand would hold the port and the database.
    if (!installed && (await isRunning(context))) await stopGateway(context);
    await service.install();
  } else {
    await service.uninstall();
  }
  if (json) {
    printJson(context, { manager: service.manager, file: service.file, installed: action === "install" });
  } else if (action === "install") {
    context.print(`Installed and started with ${service.manager}: ${service.file}\n`);
    context.note(
      'The service does not see the variables of this shell: keep keys in the configuration, such as { file: "credentials/anthropic" }.\n',
    );
    if (service.manager === "systemd") context.note("To keep it running while you are logged out: loginctl enable-linger\n");
  } else {
    context.print("The service is removed. Configuration and conversations were kept.\n");
  }
  return EXIT.ok;
}

async function isRunning(context: CliContext): Promise<boolean> {
  using gateway = await findGateway(context);
  return gateway !== undefined;
}
