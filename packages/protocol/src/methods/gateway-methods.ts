import * as z from "zod";
import { ConfigReloadResultSchema, type ConfigReloadResult } from "../shapes/config.ts";
import { GatewayStatusSchema, type GatewayStatus } from "../shapes/status.ts";
import { DamageEventsSchema, type DamageEvent } from "../shapes/damage.ts";
import { GatewayWarningsSchema, type GatewayWarning } from "../shapes/warnings.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Methods of the gateway itself. */
export interface GatewayMethods {
  status: { params: Record<string, never>; result: GatewayStatus };
  /** Warnings about the gateway for its owner, most severe first. Changes are sent as `warnings-change` events. */
  "warnings.list": { params: Record<string, never>; result: { readonly warnings: readonly GatewayWarning[] } };
  /** Unacknowledged damage of the stored state, oldest first. */
  "damage.list": { params: Record<string, never>; result: { readonly events: readonly DamageEvent[] } };
  /** Acknowledges damage: the named events, or all without ids. Returns the acknowledged events. */
  "damage.acknowledge": { params: { readonly ids?: readonly string[] }; result: { readonly acknowledged: readonly DamageEvent[] } };
  /**
   * Re-reads the configuration file at once, and applies it if it is valid. With `force` an unchanged file is applied again, for a change in something that it
   * refers to (a key in a file, the gateway's token).
   */
  "config.reload": { params: { readonly force?: boolean }; result: ConfigReloadResult };
  /** Restarts the gateway by a helper process, with the current environment. */
  "gateway.restart": { params: Record<string, never>; result: { readonly restarting: true } };
  /** Drains and stops the gateway. */
  "gateway.shutdown": { params: { readonly reason?: string }; result: { readonly stopping: true } };
}

/** Rows of the gateway methods. */
export const GATEWAY_METHODS: MethodTable<GatewayMethods> = defineMethods<GatewayMethods>()({
  status: {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => GatewayStatusSchema,
  },
  "warnings.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ warnings: GatewayWarningsSchema }),
  },
  "damage.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ events: DamageEventsSchema }),
  },
  "damage.acknowledge": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ ids: z.array(z.string().min(1).max(20)).min(1).max(200).optional() }),
    result: () => z.strictObject({ acknowledged: DamageEventsSchema }),
  },
  "config.reload": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ force: z.boolean().optional() }),
    result: () => ConfigReloadResultSchema,
  },
  "gateway.restart": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ restarting: z.literal(true) }),
  },
  "gateway.shutdown": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ reason: z.string().max(200).optional() }),
    result: () => z.strictObject({ stopping: z.literal(true) }),
  },
});
