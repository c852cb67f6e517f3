import type { ForgetDesk } from "@factotum/gateway";
import { lateDesk } from "../compose/late-desk.ts";
import type { CliContext } from "../runtime/cli-context.ts";

/** Forgets for clients. */
export function lateForgetDesk(context: CliContext, restart: () => Promise<void>): ForgetDesk {
  return lateDesk(async () => {
    const { createForgetDesk } = await import("../forget/forget-desk.ts");
    const { refuseVainRestart } = await import("./gateway-control.ts");
    return createForgetDesk({ ...context, requireStart: async () => refuseVainRestart(context), restart });
  });
}
