import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHostRunner, type BackendState, type SandboxSpec } from "@factotum/sandbox";
import type { CliContext } from "../runtime/cli-context.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { openSandbox } from "./open-sandbox.ts";

const LIMITS = { maxProcesses: 256, maxMemoryBytes: 1024 ** 3 };

/** Starts a command in each of these sandboxes, for commands such as `doctor`. A gateway may run at the same time; its records and files stay as they are. */
export async function trySandboxes(
  context: CliContext,
  choices: readonly Pick<SandboxSpec, "backend" | "image">[],
): Promise<readonly BackendState[]> {
  const folder = await mkdtemp(join(tmpdir(), "factotum-sandbox-"));
  const host = createHostRunner({
    clock: systemClock,
    random: systemRandom,
    logger: { warn: (message) => context.note(`factotum: ${message}\n`) },
    recordFolder: join(folder, "children"),
    baseEnv: context.env,
    limits: () => LIMITS,
  });
  try {
    const sandbox = openSandbox(context, {
      clock: systemClock,
      random: systemRandom,
      host,
      folder: join(folder, "sandbox"),
      ownsContainers: false,
      sandboxOf: async () => undefined,
    });
    return await Promise.all(choices.map(async (choice) => sandbox.backend(choice)));
  } finally {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
