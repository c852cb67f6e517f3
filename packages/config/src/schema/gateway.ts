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
  /** Origins whose pages may call `/v1` from a browser. Empty: no CORS. */
  readonly allowedOrigins: readonly string[];
}

const BindSchema = z.union([z.enum(["loopback", "lan"]), z.ipv4(), z.ipv6()], {
  error: "loopback, lan or an IP address of this machine is expected",
});

const OriginSchema = z.string().superRefine((origin, context) => {
  const problem = originProblem(origin);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

/** Parses `gateway`. */
export const GatewaySchema: z.ZodType<GatewayConfig> = z.strictObject({
  port: PortSchema.default(18_790),
  bind: BindSchema.default("loopback"),
  auth: z.strictObject({ mode: z.enum(["token", "none"]).default("token"), token: SecretSchema.optional() }).prefault({}),
  allowedOrigins: z
    .array(OriginSchema)
    .default([])
    .describe(
      "Origins of web pages that may call /v1 from a browser (CORS), such as https://chat.example.com, each written as the browser sends it. A listed page still needs the gateway's token. The default allows none.",
    ),
});

/** Why a text is not an origin as browsers send it; `undefined` for one. */
function originProblem(origin: string): string | undefined {
  if (origin.includes("*")) return "wildcards are not supported, since any page could then try tokens: list each origin";
  // Every sandboxed frame and every local file has this origin.
  if (origin === "null") return `"null" is not one page's origin; list the origin of the page`;
  // Applications and browser extensions have schemes of their own.
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/.test(origin);
  if (!/^https?:/i.test(origin)) return written ? undefined : EXPECTED_ORIGIN;
  if (!URL.canParse(origin)) return EXPECTED_ORIGIN;
  const sent = new URL(origin).origin;
  return sent === origin ? undefined : `write it as browsers send it: ${sent}`;
}

const EXPECTED_ORIGIN = "an origin such as https://chat.example.com or http://localhost:3000 is expected";

/** True when `bind` admits this machine alone. */
export function isLoopbackBind(bind: string): boolean {
  return bind === "loopback" || bind === "::1" || bind.startsWith("127.");
}
