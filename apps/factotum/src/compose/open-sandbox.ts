import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock, CommandRunner, Random } from "@factotum/agent-contract";
import { createSandboxRunner, type SandboxRunner, type SandboxRunnerOptions } from "@factotum/sandbox";
import type { CliContext } from "../runtime/cli-context.ts";

interface OpenSandboxOptions extends Pick<SandboxRunnerOptions, "sandboxOf" | "ownsContainers" | "network"> {
  readonly clock: Clock;
  readonly random: Random;
  readonly host: CommandRunner;
  /** Folder for the files that the sandbox reads. Default: `sandbox` in the state folder. */
  readonly folder?: string;
}

/** The folder of the files that sandboxes read, and of the sockets of their proxies. */
export function sandboxFolder({ stateFolder }: Pick<CliContext["paths"], "stateFolder">): string {
  return join(stateFolder, "sandbox");
}

/** The runner of sandboxed commands on this machine. Nothing is looked for before the first of them. */
export function openSandbox(
  { env, paths, platform }: Pick<CliContext, "env" | "paths" | "platform">,
  options: OpenSandboxOptions,
): SandboxRunner {
  return createSandboxRunner({
    folder: sandboxFolder(paths),
    ...options,
    platform,
    architecture: process.arch,
    baseEnv: env,
    userHome: paths.userHome,
    userId: process.getuid?.() ?? 0,
    groupId: process.getgid?.() ?? 0,
    label: `factotum=${createHash("sha256").update(paths.home).digest("hex").slice(0, 16)}`,
  });
}
