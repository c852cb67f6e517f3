import type { ForgetDesk } from "@factotum/gateway";
import type { CliContext } from "../runtime/cli-context.ts";

/** Forgets for clients. What does it is loaded when it is asked for the first time: a start loads as little as it can. */
export function lateForgetDesk(context: CliContext, restart: () => Promise<void>): ForgetDesk {
  let loading: Promise<ForgetDesk> | undefined;
  const desk = async (): Promise<ForgetDesk> => (loading ??= load(context, restart));
  return {
    plan: async (scope) => (await desk()).plan(scope),
    forget: async (scope) => (await desk()).forget(scope),
  };
}

async function load(context: CliContext, restart: () => Promise<void>): Promise<ForgetDesk> {
  const { createForgetDesk } = await import("../forget/forget-desk.ts");
  const { refuseVainRestart } = await import("./gateway-control.ts");
  return createForgetDesk({ ...context, requireStart: async () => refuseVainRestart(context), restart });
}
