import { createHash } from "node:crypto";
import { join } from "node:path";
import type { CliContext } from "../runtime/cli-context.ts";
import { createLaunchdService } from "./launchd-service.ts";
import type { SystemService } from "./system-service.ts";
import { createSystemdService } from "./systemd-service.ts";

/** The service manager of this system; `undefined` if there is no supported one. */
export function systemService(context: CliContext): SystemService | undefined {
  if (context.platform === "linux") return createSystemdService(context, serviceName(context));
  if (context.platform === "darwin") return createLaunchdService(context, serviceName(context));
  return undefined;
}

/** A unique name per state directory, so that two installations have two services. */
function serviceName({ paths }: CliContext): string {
  if (paths.home === join(paths.userHome, ".factotum")) return "factotum";
  return `factotum-${createHash("sha256").update(paths.home).digest("hex").slice(0, 8)}`;
}
