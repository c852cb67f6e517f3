import { join } from "node:path";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { createHostRunner, openCommandCgroups, type HostRunner } from "@factotum/sandbox";
import type { CliContext } from "../runtime/cli-context.ts";
import type { OutputRedactor } from "../runtime/output-redactor.ts";
import { commandEnvironment } from "./command-environment.ts";

export interface OpenRunnerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redactor: OutputRedactor;
  /** Read at each use of the limits. */
  readonly currentConfig: () => Pick<FactotumConfig, "tools">;
}

/** The runner of the model's commands, after ending those that a killed gateway left running. */
export async function openRunner(context: CliContext, { currentConfig, ...system }: OpenRunnerOptions): Promise<HostRunner> {
  const { logger } = system;
  const runner = createHostRunner({
    ...system,
    recordFolder: join(context.paths.stateFolder, "children"),
    baseEnv: await commandEnvironment(context, logger),
    limits: () => {
      const { maxProcesses, maxMemoryMb } = currentConfig().tools.exec;
      return { maxProcesses, maxMemoryBytes: maxMemoryMb * 1024 ** 2 };
    },
    cgroups: await openCommandCgroups(logger),
  });
  await endOrphans(runner, logger);
  return runner;
}

/** Orphans of a killed gateway are ended before any new command. A failed search does not prevent the start. */
export async function endOrphans(runner: HostRunner, logger: Logger): Promise<void> {
  // Nothing else keeps the process alive yet; the clock's timers do not.
  const awake = setInterval(() => undefined, 60_000);
  try {
    const { ended, survivors } = await runner.endOrphans();
    if (ended > 0) logger.warn("Commands that the last gateway left running were ended", { ended });
    if (survivors > 0) logger.error("Commands that the last gateway left running could not be ended", { survivors });
  } catch (error) {
    logger.error("It could not be found out which commands the last gateway left running", { error });
  } finally {
    clearInterval(awake);
  }
}
