import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import type { Clock } from "@factotum/agent-contract";
import type { Context, Hono } from "hono";
import { guardRoute } from "../admit-request.ts";
import type { AdmissionOptions, HttpEnv } from "../admit-request.ts";
import { closeSignal } from "../close-signal.ts";
import { renderError } from "../completions/render-response.ts";
import { readBody } from "../read-body.ts";
import { matchRoutes } from "./match-routes.ts";
import type { PluginRoute, PluginRoutesOf, RouteAnswer } from "./plugin-route.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { RoutePlaces } from "./route-places.ts";

/** How long the body of a public request may take to arrive, as for webhooks. */
const BODY_TIMEOUT_MS = 3000;
const RETRY_AFTER_SECONDS = 1;

/** The dependencies of the routes of plugins. */
interface PluginRouteOptions {
  readonly routesOf: PluginRoutesOf;
  readonly clock: Clock;
  readonly admission: AdmissionOptions;
}

/** A request to a route that is there, from a caller who may use it. */
interface RouteRequest {
  readonly route: PluginRoute;
  readonly pluginId: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Adds everything below `/plugins`. What is not a public route is the owner's, unknown paths included: strangers learn nothing of it. No plugin is started for a
 * request that it does not get.
 */
export function addPluginRoutes(app: Hono<HttpEnv>, options: PluginRouteOptions): void {
  const places = new RoutePlaces();
  app.all("/plugins/*", async (context) => {
    const { pathname, searchParams: query } = new URL(context.req.url);
    const [, pluginId = "", path = "/"] = /^\/plugins\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
    const found = matchRoutes(options.routesOf(pluginId), path);
    const method = context.req.method === "HEAD" ? "GET" : context.req.method;
    const route = found.find((one) => one.method === method);
    const isPublic = route?.public ?? found.some((one) => one.public);
    const refused = guardRoute(context, isPublic ? "PUBLIC /plugins" : "ANY /plugins", options.admission);
    if (refused !== undefined) return refused;
    if (found.length === 0) return refuse(404, "unknown_url", `There is no plugin that serves ${pathname}.`);
    if (route !== undefined) return handle(context, { route, pluginId, path, query }, { ...options, places });
    const allowed = found.flatMap((one) => (one.method === "GET" ? ["GET", "HEAD"] : [one.method])).join(", ");
    return refuse(405, "method_not_supported", `${context.req.method} is not supported here. Use ${allowed}.`, { allow: allowed });
  });
}

async function handle(
  context: Context<HttpEnv>,
  { route, pluginId, path, query }: RouteRequest,
  { clock, admission, places }: PluginRouteOptions & { readonly places: RoutePlaces },
): Promise<Response> {
  const incoming = context.env.incoming as IncomingMessage;
  const { socket, headers } = incoming;
  const body = await readBodyInTime(incoming, { clock, timeoutMs: route.public ? BODY_TIMEOUT_MS : undefined });
  if (body === "incomplete") return refuse(408, "request_timeout", "The body did not arrive in time.", { connection: "close" });
  if (body.type === "refused") return refuse(413, "request_too_large", body.message);
  if (!isUtf8(body.bytes)) return refuse(400, "invalid_body", "The body is not UTF-8 text.");
  const client = admission.findClient(incoming, admission.gatewayConfig().trustedProxies);
  const taken = places.take({ pluginId, isPublic: route.public, client });
  if (taken.type === "refused") return refuseBusy(taken.status, RETRY_AFTER_SECONDS);
  using _place = taken.place;
  // Until it is answered, the limit of the places applies to it.
  if (route.public) admission.connections.prove(socket);
  try {
    const text = body.bytes.toString("utf8");
    const request = renderRequest({ headers, query }, { method: route.method, path, body: text });
    return responseTo(await route.answer(request, { signal: closeSignal(context.env.outgoing) }));
  } finally {
    if (route.public) admission.connections.reset(socket);
  }
}

function responseTo(answer: RouteAnswer): Response {
  switch (answer.type) {
    case "answer":
      return renderAnswer(answer);
    case "busy":
      return refuseBusy(503, answer.retryAfterSeconds);
    case "too-large":
      return refuse(413, "request_too_large", "The request is larger than a plugin takes.");
    case "late":
      return refuse(504, "plugin_timeout", "The plugin did not answer in time.");
    case "failed":
      // The reason is for the owner: it is in the log, and in the status.
      return refuse(502, "plugin_failed", "The plugin failed.");
  }
}

/** The body; `incomplete` if it is not there in time, or the client has left. By default the server's own limit of time applies. */
async function readBodyInTime(
  incoming: IncomingMessage,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number | undefined },
): Promise<Awaited<ReturnType<typeof readBody>> | "incomplete"> {
  const incomplete = "incomplete";
  // A connection that breaks off is no failure of the gateway.
  const reading = readBody(incoming, PLUGIN_LIMITS.routeBodyBytes).catch(() => incomplete as typeof incomplete);
  if (timeoutMs === undefined) return reading;
  const late = Promise.withResolvers<typeof incomplete>();
  using _deadline = clock.schedule(timeoutMs, () => late.resolve(incomplete));
  // The connection is closed with the answer, which ends the reading.
  return await Promise.race([reading, late.promise]);
}

function refuseBusy(status: 429 | 503, seconds: number): Response {
  const [code, message] =
    status === 429 ? ["too_many_requests", "Too many requests of this address are open."] : ["plugin_busy", "The plugin is busy."];
  return refuse(status, code, `${message} Send it again later.`, { "retry-after": String(seconds) });
}

function refuse(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return Response.json(renderError(message, { type, code }), { status, headers: { ...headers, "cache-control": "no-store" } });
}
