import { isIP } from "node:net";
import * as z from "zod";
import { SecretSchema, type Secret } from "./secret.ts";
import { PortSchema } from "./values.ts";

/** Where the gateway listens and who may connect. */
export interface GatewayConfig {
  readonly port: number;
  /** `loopback`: this machine only. `lan`: every address. Otherwise one IP address of this machine. */
  readonly bind: string;
  readonly auth: {
    /** `none` is refused beyond loopback. */
    readonly mode: "token" | "none";
    /** Defaults to the token created by the first start (`credentials/gateway-token`). */
    readonly token?: Secret | undefined;
  };
  /**
   * Address under which people and platforms reach the gateway from outside, such as `https://assistant.example.com` or, below a path of a site,
   * `https://example.com/assistant`; without a slash at the end.
   */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call `/v1` from a browser. Empty: no CORS. */
  readonly allowedOrigins: readonly string[];
  /** Addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` or `Forwarded` header is trusted. */
  readonly trustedProxies: readonly string[];
}

const BindSchema = z.union([z.enum(["loopback", "lan"]), z.ipv4(), z.ipv6()], {
  error: "loopback, lan or an IP address of this machine is expected",
});

const OriginSchema = z.string().superRefine((origin, context) => {
  const problem = originProblem(origin);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const PublicUrlSchema = z
  .string()
  .superRefine((url, context) => {
    const problem = publicUrlProblem(url);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .transform(normalPublicUrl);

const ProxySchema = z.string().superRefine((range, context) => {
  const problem = proxyProblem(range);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

/** Parses `gateway`. */
export const GatewaySchema: z.ZodType<GatewayConfig> = z
  .strictObject({
    port: PortSchema.default(18_790).describe("TCP port of the gateway; `0` takes a free one. `FACTOTUM_PORT` has precedence."),
    bind: BindSchema.default("loopback").describe(
      "`loopback`: this machine only. `lan`: every address of this machine. Otherwise one of its IP addresses.",
    ),
    auth: z
      .strictObject({
        mode: z
          .enum(["token", "none"])
          .default("token")
          .describe("`none` lets everyone who reaches the gateway act as the owner, and is refused beyond loopback."),
        token: SecretSchema.optional().describe(
          "The token of the page, the API and the command line. Unset: the token that the first start made, in `credentials/gateway-token`.",
        ),
      })
      .prefault({})
      .describe("How clients show that they are the owner."),
    publicUrl: PublicUrlSchema.optional().describe(
      "Address under which people and platforms reach the gateway from outside, such as https://assistant.example.com, with its path if it has one. Its pages are accepted as the gateway's own, and printed addresses use it.",
    ),
    allowedOrigins: z
      .array(OriginSchema)
      .default([])
      .describe(
        "Origins of web pages that may call /v1 from a browser (CORS), such as https://chat.example.com, each written as the browser sends it. A listed page still needs the gateway's token. The default allows none.",
      ),
    trustedProxies: z
      .array(ProxySchema)
      .default([])
      .describe(
        "Addresses or CIDR ranges of the reverse proxies in front of the gateway, such as 127.0.0.1 or 10.0.0.0/8. Only their X-Forwarded-For or Forwarded header is believed. The default believes none.",
      ),
  })
  .describe("Where the gateway listens, and who may connect.");

/** Why a text is not a public address of a gateway; `undefined` if it is one. */
function publicUrlProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "an address such as https://assistant.example.com is expected";
  if (url.username !== "" || url.password !== "") return "write it without a user and a password";
  if (url.search !== "" || url.hash !== "") return `write it without ? and #: ${normalPublicUrl(text.replace(/[?#].*$/, ""))}`;
  if (/\/\/|[^\w./~-]/.test(url.pathname)) return "a path is letters, digits, and - _ . ~ between single slashes";
  return undefined;
}

/** One spelling: scheme and host in lower case, no port that is the scheme's own, no slash at the end. */
function normalPublicUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/\/+$/, "")}`;
}

/** Why a text is neither an IP address nor a CIDR range; `undefined` for one. */
function proxyProblem(range: string): string | undefined {
  const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(prefix ?? 0) > (family === 4 ? 32 : 128))
    return "an IP address or a CIDR range such as 10.0.0.0/8 is expected";
  if (prefix !== undefined && Number(prefix) === 0) return "every client could then claim any address; list the proxies alone";
  return /^::ffff:.*\./i.test(address) ? "write it as an IPv4 address or range" : undefined;
}

/** Why a text is not an origin as browsers send it; `undefined` if it is one. */
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

/** True if other machines may reach the gateway, by its bind address or through the proxy of `publicUrl`. */
export function isExposed({ bind, publicUrl }: Pick<GatewayConfig, "bind" | "publicUrl">): boolean {
  return publicUrl !== undefined || !isLoopbackBind(bind);
}

/** True if `bind` admits this machine alone. */
export function isLoopbackBind(bind: string): boolean {
  return bind === "loopback" || bind === "::1" || bind.startsWith("127.");
}
