import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Channel } from "@factotum/channel-contract";
import { createAdaptorServer } from "@hono/node-server";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import { authorize, OWN } from "../access/authorize.ts";
import type { HttpRoute, Principal } from "../access/authorize.ts";
import type { Engine } from "../engine.ts";
import type { ClientServer } from "../clients/client-server.ts";
import { handleCompletion } from "./completions/handle-completion.ts";
import { renderError } from "./completions/render-response.ts";
import { METRICS_TYPE } from "../observe/metrics-type.ts";
import { bearerToken } from "./credentials.ts";
import type { Authenticator } from "./credentials.ts";
import { handleUpload } from "./handle-upload.ts";
import { readJsonBody } from "./read-json-body.ts";
import { crossSiteProblem } from "./same-site.ts";
import { StaticFiles } from "./static-files.ts";
import { renderStorageFull } from "./storage-full.ts";

/** What the server is made of. */
export interface HttpServerOptions {
  readonly engine: Engine;
  readonly authenticator: Authenticator;
  readonly clients: ClientServer;
  /** Folder of the built Control UI; without it `/` says that this build has none. */
  readonly webFolder: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly loopbackOnly: boolean;
  /** Why nothing can be taken now; `undefined` when all is well. */
  readonly readiness: () => string | undefined;
  /** The text for Prometheus, read now. */
  readonly metrics: () => Promise<string>;
  /** How long a client may take to send a request, its body included; 30 s by default. Answers may take as long as they need. */
  readonly requestTimeoutMs?: number;
}

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Webhook requests of one account that may be in work at once; each holds at most one body before its signature is checked. */
const MAX_WEBHOOKS = 64;
/** What holds a connection without sending its request must not keep those out who do. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Room for one image of the largest size in base64, and a conversation. */
const MAX_COMPLETION_BYTES: number = 32 * 1024 * 1024;
/** Space comes back when somebody has looked. */
const RETRY = { "retry-after": "30" } as const;
type Env = { Bindings: HttpBindings };

/** Opens the gateway's one port. Rejects when it cannot, saying why and what to do. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const app = createApp(options);
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: requestTimeout / 2,
      // An offer of another protocol, as of HTTP/2, is passed over: the request is answered as it is.
      shouldUpgradeCallback: ({ headers }) => /(?:^|,)\s*websocket\s*(?:,|$)/i.test(headers.upgrade ?? ""),
    },
  });
  server.on("upgrade", (request, socket, head) => {
    // A client that is gone before it has its answer needs none.
    socket.on("error", (error: Error) => options.engine.services.logger.debug("A handshake broke off", { error }));
    const status = handshakeRefusal(request, options);
    if (status === undefined) options.clients.handleUpgrade(request, socket, head);
    else socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      });
    },
  };
}

function createApp(options: HttpServerOptions): Hono<Env> {
  const { engine } = options;
  const { storage } = engine.services;
  const app = new Hono<Env>();
  const files = options.webFolder === undefined ? undefined : new StaticFiles(options.webFolder);
  /** Per account: whoever floods one platform's address keeps no other platform out. */
  const webhooks = new Map<Channel, number>();

  app.onError((error, context) => {
    // Whoever brings something keeps it: nothing of it was stored.
    if (storage.note(error)) return renderStorageFull(error.message);
    engine.services.logger.error("A request failed", { path: context.req.path, error });
    return context.json(
      renderError("The gateway had an internal error; its log has the details.", { type: "server_error", code: "internal" }),
      500,
    );
  });
  app.get("/healthz", (context) => guard(context, "GET /healthz", options) ?? context.json({ ok: true }));
  app.get("/readyz", (context) => {
    const refused = guard(context, "GET /readyz", options);
    if (refused !== undefined) return refused;
    const reason = options.readiness();
    return reason === undefined ? context.json({ ready: true }) : context.json({ ready: false, reason }, 503);
  });
  app.get(
    "/metrics",
    async (context) =>
      guard(context, "GET /metrics", options) ?? context.body(await options.metrics(), 200, { "content-type": METRICS_TYPE }),
  );
  app.get("/v1/models", (context) => guard(context, "GET /v1/models", options) ?? context.json(modelList(engine)));
  app.post("/v1/chat/completions", async (context) => {
    const refused = guard(context, "POST /v1/chat/completions", options);
    if (refused !== undefined) return refused;
    if (storage.problem !== undefined) return renderStorageFull(storage.problem.reason);
    const body = await readJsonBody(context.env.incoming, MAX_COMPLETION_BYTES);
    if (body.type === "refused") return context.json(renderError(body.message, { type: "invalid_request_error" }), body.status);
    const model =
      typeof body.value === "object" && body.value !== null && "model" in body.value && typeof body.value.model === "string"
        ? body.value.model
        : "factotum";
    const caller = { session: context.req.header("x-factotum-session"), signal: closeSignal(context.env.outgoing) };
    return handleCompletion(caller, body.value, model, engine);
  });
  app.post("/uploads", async (context) => {
    const refused = guard(context, "POST /uploads", options);
    if (refused !== undefined) return refused;
    if (storage.problem !== undefined) return renderStorageFull(storage.problem.reason);
    return handleUpload(context.env.incoming, engine.services.media.uploads);
  });
  app.all("/channels/:channel/:accountId", async (context) => {
    // A platform proves itself by its signature, which the channel checks on the raw bytes; the gateway's token means nothing here.
    if (authorize({ type: "platform" }, { type: "http", route: "ANY /channels" }, OWN).type !== "allow") return context.notFound();
    const { channels } = engine.services;
    const address = { channel: context.req.param("channel"), accountId: context.req.param("accountId") };
    const channel = channels.channelFor(address);
    if (channel === undefined) {
      // What is only on its way up gets its events again; what nobody has configured is told so.
      if (channels.accountFor(address)?.enabled === true) return context.json({ error: "not yet, send it again" }, 503, RETRY);
      return context.json({ error: "no such channel account is running" }, 404);
    }
    const open = webhooks.get(channel) ?? 0;
    if (open >= MAX_WEBHOOKS) return context.json({ error: "too many requests at once" }, 503, { "retry-after": "1" });
    webhooks.set(channel, open + 1);
    try {
      // On a full disk too: whoever says something on the platform is told there, and the platform sends again what was not taken.
      return await channel.handleWebhook(context.req.raw, { signal: context.req.raw.signal });
    } catch (error) {
      if (!storage.note(error)) throw error;
      // A platform learns nothing of this machine.
      return context.json({ error: "nothing can be stored now, send it again" }, 503, RETRY);
    } finally {
      const left = (webhooks.get(channel) ?? 1) - 1;
      if (left > 0) webhooks.set(channel, left);
      else webhooks.delete(channel);
    }
  });
  app.get("/*", async (context) => {
    const refused = guard(context, "GET /", options);
    if (refused !== undefined) return refused;
    if (files === undefined) return context.text("This build has no Control UI.", 404);
    return (await files.serve(context.req.path)) ?? context.notFound();
  });
  return app;
}

/** Aborts when the client leaves before it has its answer. */
function closeSignal(outgoing: HttpBindings["outgoing"]): AbortSignal {
  const closed = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) closed.abort();
  });
  return closed.signal;
}

/** The answer to somebody who may not have the route; `undefined` for whoever may. */
function guard(context: Context<Env>, route: HttpRoute, options: HttpServerOptions): Response | undefined {
  const { incoming, outgoing } = context.env;
  const admission = admit(incoming.headers, route, options);
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

/** Why a handshake gets no socket, as a status line; `undefined` when it gets one. */
function handshakeRefusal({ url, headers }: IncomingMessage, options: HttpServerOptions): string | undefined {
  if (URL.parse(url ?? "/", "http://localhost")?.pathname !== "/ws") return "404 Not Found";
  const admission = admit(headers, "GET /ws", options);
  if (admission.type === "admitted") return undefined;
  return admission.status === 401 ? "401 Unauthorized\r\nWWW-Authenticate: Bearer" : "403 Forbidden";
}

type Admission =
  | { readonly type: "admitted"; readonly principal: Principal; readonly token: string | undefined }
  | { readonly type: "refused"; readonly status: 401 | 403; readonly isCrossSite: boolean; readonly reason: string };

/** The one way to a route: the page that asks is ours, and the rules name who asks (R19). */
function admit({ host, origin, authorization }: IncomingHttpHeaders, route: HttpRoute, options: HttpServerOptions): Admission {
  const problem = crossSiteProblem({ host, origin }, options);
  if (problem !== undefined) return { type: "refused", status: 403, isCrossSite: true, reason: problem };
  const token = bearerToken(authorization);
  const principal = options.authenticator.principal(token);
  const decision = authorize(principal, { type: "http", route }, OWN);
  if (decision.type === "allow") return { type: "admitted", principal, token };
  return { type: "refused", status: principal.type === "anonymous" ? 401 : 403, isCrossSite: false, reason: decision.reason };
}

/** What is being answered to a token is cut off once that token admits nobody any more. */
function endWithToken(token: string | undefined, outgoing: HttpBindings["outgoing"], authenticator: Authenticator): void {
  const watch = authenticator.watch(token, () => outgoing.destroy());
  outgoing.once("close", () => watch[Symbol.dispose]());
}

function modelList(engine: Engine): object {
  const ids = ["factotum", ...engine.services.agents.list().map((agent) => `factotum/${agent.config.id}`)];
  return { object: "list", data: ids.map((id) => ({ id, object: "model", created: 0, owned_by: "factotum" })) };
}

function listenError(error: NodeJS.ErrnoException, options: HttpServerOptions): Error {
  const address = `${options.host}:${options.port}`;
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${options.port} is taken on ${options.host}. If that is another gateway, stop it with \`factotum gateway stop\`; else choose another port: \`--port\`, FACTOTUM_PORT or gateway.port.`,
      { cause: error },
    );
  }
  if (error.code === "EACCES")
    return new Error(`No permission to listen on ${address}. Choose a port above 1023 with \`--port\`, FACTOTUM_PORT or gateway.port.`, {
      cause: error,
    });
  return new Error(`The gateway cannot listen on ${address}: ${error.message}. Check gateway.bind and gateway.port.`, { cause: error });
}
