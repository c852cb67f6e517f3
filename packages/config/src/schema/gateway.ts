import * as z from "zod";
import { SecretSchema, type Secret } from "./secret.ts";
import { PortSchema } from "./values.ts";

/** Where the gateway listens and who may connect. */
export interface GatewayConfig {
  readonly port: number;
  /** `loopback`: this machine only. `lan`: every address. Else one IP address of this machine. */
  readonly bind: string;
  readonly auth: {
    /** `none` is refused beyond loopback. */
    readonly mode: "token" | "none";
    /** Left out: the token that the first start made (`credentials/gateway-token`). */
    readonly token?: Secret | undefined;
  };
}

const BindSchema = z.union([z.enum(["loopback", "lan"]), z.ipv4(), z.ipv6()], {
  error: "loopback, lan or an IP address of this machine is expected",
});

/** Parses `gateway`. */
export const GatewaySchema: z.ZodType<GatewayConfig> = z.strictObject({
  port: PortSchema.default(18_790),
  bind: BindSchema.default("loopback"),
  auth: z.strictObject({ mode: z.enum(["token", "none"]).default("token"), token: SecretSchema.optional() }).prefault({}),
});

/** True when `bind` admits this machine alone. */
export function isLoopbackBind(bind: string): boolean {
  return bind === "loopback" || bind === "::1" || bind.startsWith("127.");
}
