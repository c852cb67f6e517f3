import { spawn } from "node:child_process";
import { once } from "node:events";
import type { CliContext } from "../runtime/cli-context.ts";
import { outsideOfCommands } from "../runtime/start-detached.ts";

/** Starts a separate process that restarts the gateway, with the environment of this one. */
export async function spawnRestart({ self, env, paths }: Pick<CliContext, "self" | "env" | "paths">): Promise<void> {
  const child = spawn(self.file, [...self.args, "gateway", "restart"], {
    detached: true,
    stdio: "ignore",
    env: outsideOfCommands(env),
    cwd: paths.home,
  });
  await once(child, "spawn");
  child.unref();
}
