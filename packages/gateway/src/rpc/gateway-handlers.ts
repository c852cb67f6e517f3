import type { ConfigReloadResult, GatewayStatus, GatewayWarning, RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** What the gateway offers its methods. */
export interface GatewayControl {
  readonly status: () => Promise<GatewayStatus>;
  readonly warnings: () => readonly GatewayWarning[];
  readonly reloadConfig: (options: { readonly force: boolean }) => Promise<ConfigReloadResult>;
  readonly requestRestart: () => Promise<void>;
  readonly requestShutdown: (reason: string) => void;
}

type GatewayMethod = "status" | "config.reload" | Extract<RpcMethod, `warnings.${string}` | `damage.${string}` | `gateway.${string}`>;

/** The methods of the gateway itself: its state and damage, reload and restart. */
export function gatewayHandlers(engine: Engine, control: GatewayControl): RpcHandlersOf<GatewayMethod> {
  const { status, warnings, reloadConfig, requestRestart, requestShutdown } = control;
  return {
    status,
    "warnings.list": async () => ({ warnings: warnings() }),
    "damage.list": async () => ({ events: engine.damage.list() }),
    "damage.acknowledge": async ({ ids }) => ({ acknowledged: await engine.damage.acknowledge(ids) }),
    "config.reload": async ({ force }) => reloadConfig({ force: force ?? false }),
    "gateway.restart": async () => {
      await requestRestart();
      return { restarting: true };
    },
    "gateway.shutdown": async (params) => {
      requestShutdown(params.reason ?? "asked by a client");
      return { stopping: true };
    },
  };
}
