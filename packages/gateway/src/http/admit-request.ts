import type { IncomingHttpHeaders } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { authorize, OWN } from "../access/authorize.ts";
import type { HttpRoute, Principal } from "../access/authorize.ts";
import { renderError } from "./completions/render-response.ts";
import { bearerToken } from "./credentials.ts";
import type { Authenticator } from "./credentials.ts";
import { crossSiteProblem } from "./same-site.ts";

/** What the handlers of Hono get from Node. */
export type HttpEnv = { Bindings: HttpBindings };

/** What decides about requests. */
export interface AdmissionOptions {
  readonly authenticator: Authenticator;
  readonly loopbackOnly: boolean;
  /** Origins whose pages may use the route, besides the gateway's own; none by default. */
  readonly allowedOrigins?: readonly string[];
}

/** The decision about one request. */
export type Admission =
  | { readonly type: "admitted"; readonly principal: Principal; readonly token: string | undefined }
  | { readonly type: "refused"; readonly status: 401 | 403; readonly isCrossSite: boolean; readonly reason: string };

/** The one way to a route: the page that asks is ours or listed, and the rules name who asks (R19). */
export function admitRequest(headers: IncomingHttpHeaders, route: HttpRoute, options: AdmissionOptions): Admission {
  const { host, origin, authorization } = headers;
  const problem = crossSiteProblem({ host, origin }, options);
  if (problem !== undefined) return { type: "refused", status: 403, isCrossSite: true, reason: problem };
  const token = bearerToken(authorization);
  const principal = options.authenticator.principal(token);
  const decision = authorize(principal, { type: "http", route }, OWN);
  if (decision.type === "allow") return { type: "admitted", principal, token };
  return { type: "refused", status: principal.type === "anonymous" ? 401 : 403, isCrossSite: false, reason: decision.reason };
}

/** The answer to somebody who may not have the route; `undefined` for whoever may. */
export function guardRoute(context: Context<HttpEnv>, route: HttpRoute, options: AdmissionOptions): Response | undefined {
  const { incoming, outgoing } = context.env;
  const admission = admitRequest(incoming.headers, route, options);
  if (admission.type === "refused") {
    const { status, isCrossSite, reason } = admission;
    return context.json(
      renderError(reason, { type: "invalid_request_error", code: status === 401 ? "invalid_api_key" : "forbidden" }),
      status,
      isCrossSite ? {} : { "www-authenticate": "Bearer" },
    );
  }
  if (admission.principal.type === "token") endWithToken(admission.token, outgoing, options.authenticator);
  return undefined;
}

/** What is being answered to a token is cut off once that token admits nobody any more. */
function endWithToken(token: string | undefined, outgoing: HttpBindings["outgoing"], authenticator: Authenticator): void {
  const watch = authenticator.watch(token, () => outgoing.destroy());
  outgoing.once("close", () => watch[Symbol.dispose]());
}
