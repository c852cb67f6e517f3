import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { GatewayConfig } from "@factotum/config";
import type { Context } from "hono";
import { authorize, OWN } from "../access/authorize.ts";
import type { HttpRoute, Principal } from "../access/authorize.ts";
import type { ClientAddress, FindClient } from "../access/client-address.ts";
import { renderError } from "./completions/render-response.ts";
import { bearerToken } from "../access/credentials.ts";
import type { Authenticator } from "../access/credentials.ts";
import { crossSiteProblem } from "./same-site.ts";
import type { UnprovenConnections } from "./unproven-connections.ts";

/** Node's objects for Hono's handlers. */
export type HttpEnv = { Bindings: HttpBindings };

/** The dependencies of admission. */
export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  readonly loopbackOnly: boolean;
  readonly findClient: FindClient;
  readonly connections: UnprovenConnections;
  /** The current `gateway` configuration. */
  readonly gatewayConfig: () => Pick<GatewayConfig, "publicUrl" | "trustedProxies">;
  /** Origins whose pages may use the route, in addition to the gateway's own; none by default. */
  readonly allowedOrigins?: readonly string[];
}

/** The decision about one request. */
export type Admission =
  | { readonly type: "admitted"; readonly principal: Principal; readonly token: string | undefined; readonly client: ClientAddress }
  | {
      readonly type: "refused";
      readonly status: 401 | 403 | 429;
      readonly code: "invalid_api_key" | "forbidden" | "too_many_wrong_tokens";
      readonly reason: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** The only way to a route: checks the requesting page's origin and authorizes the caller (R19). */
export function admitRequest(request: IncomingMessage, route: HttpRoute, options: AdmissionOptions): Admission {
  const { host, origin, authorization } = request.headers;
  const { publicUrl, trustedProxies } = options.gatewayConfig();
  const problem = crossSiteProblem({ host, origin }, { ...options, publicUrl });
  if (problem !== undefined) return { type: "refused", status: 403, code: "forbidden", reason: problem, headers: {} };
  const client = options.findClient(request, trustedProxies);
  const token = bearerToken(authorization);
  const authentication = options.authenticator.authenticate(token, client);
  if (authentication.type === "delayed") return tooManyWrong(authentication.delayMs);
  const { principal } = authentication;
  const decision = authorize(principal, { type: "http", route }, OWN);
  if (decision.type !== "allow") return denied(principal, decision.reason);
  if (principal.type === "token") options.connections.prove(request.socket);
  return { type: "admitted", principal, token, client };
}

/** The refusal of a caller without access to the route; `undefined` for one with access. */
export function guardRoute(context: Context<HttpEnv>, route: HttpRoute, options: AdmissionOptions): Response | undefined {
  const { incoming, outgoing } = context.env;
  const admission = admitRequest(incoming as IncomingMessage, route, options);
  if (admission.type === "refused") {
    const { status, code, reason, headers } = admission;
    return context.json(renderError(reason, { type: "invalid_request_error", code }), status, headers);
  }
  if (admission.principal.type === "token") endWithToken(admission.token, outgoing, options.authenticator);
  return undefined;
}

function denied(principal: Principal, reason: string): Admission {
  const headers = { "www-authenticate": "Bearer" };
  return principal.type === "anonymous"
    ? { type: "refused", status: 401, code: "invalid_api_key", reason, headers }
    : { type: "refused", status: 403, code: "forbidden", reason, headers };
}

function tooManyWrong(delayMs: number): Admission {
  const seconds = Math.ceil(delayMs / 1000);
  const reason = `Too many wrong tokens came from this address. Try again in ${seconds} s.`;
  return { type: "refused", status: 429, code: "too_many_wrong_tokens", reason, headers: { "retry-after": String(seconds) } };
}

/** A response is cut off once its request's token is no longer valid. */
function endWithToken(token: string | undefined, outgoing: HttpBindings["outgoing"], authenticator: Authenticator): void {
  const watch = authenticator.watch(token, () => outgoing.destroy());
  outgoing.once("close", () => watch[Symbol.dispose]());
}
