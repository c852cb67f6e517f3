import { STATUS_CODES } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock, Logger } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { Secret } from "@factotum/config";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import { authorize, OWN } from "../access/authorize.ts";
import type { Engine } from "../engine/engine.ts";
import type { ClientSockets } from "../rpc/client-sockets.ts";
import { renderError } from "./completions/render-response.ts";
import { METRICS_TYPE } from "../observe/metrics-type.ts";
import { admitRequest, guardRoute } from "./admit-request.ts";
import type { AdmissionOptions, HttpEnv } from "./admit-request.ts";
import { createClientFinder } from "../access/client-address.ts";
import type { ClientAddress } from "../access/client-address.ts";
import type { Authenticator } from "../access/credentials.ts";
import { accountOfPath } from "../channels/account-of-path.ts";
import { handleMedia } from "./handle-media.ts";
import { handleUpload } from "./handle-upload.ts";
import { addHookRoutes } from "./hooks/add-hook-routes.ts";
import { addOpenAiRoutes } from "./openai-routes.ts";
import { addPluginRoutes } from "./plugins/add-plugin-routes.ts";
import type { PluginRoutesOf } from "./plugins/plugin-route.ts";
import { publicPathOf, withoutPublicPath } from "./public-path.ts";
import { StaticFiles } from "./static-files.ts";
import { renderStorageFull } from "./storage-full.ts";
import { UnprovenConnections } from "./unproven-connections.ts";
import { WebhookRequests } from "./webhook-requests.ts";

/** The dependencies of the server. */
export interface HttpServerOptions {
  readonly engine: Engine;
  readonly authenticator: Authenticator;
  readonly clients: ClientSockets;
  readonly clock: Clock;
  /** Folder of the built Control UI; without it `/` says that this build has none. */
  readonly webFolder: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly loopbackOnly: boolean;
  /** The routes of plugins. */
  readonly pluginRoutes: PluginRoutesOf;
  /** Reads a secret of the configuration; `undefined` if it has no value now. */
  readonly readSecret: (secret: Secret) => Promise<string | undefined>;
  /** Why no input is accepted now; `undefined` if it is. */
  readonly readiness: () => string | undefined;
  /** The current metrics for Prometheus. */
  readonly metrics: () => Promise<string>;
  /** How long a client may take to send a request, its body included; 30 s by default. Answers may take as long as they need. */
  readonly requestTimeoutMs?: number;
}

/** A listening server. */
export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Connections that send no request must not block those that do. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A request triggers a check for free space. */
const RETRY = { "retry-after": "30" } as const;

/** Opens the gateway's only port. Rejects with what to do if it cannot. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { engine } = options;
  const connections = new UnprovenConnections();
  const findClient = createClientFinder(warnOnce(engine.parts.logger));
  const gatewayConfig: AdmissionOptions["gatewayConfig"] = () => engine.parts.running.config.gateway;
  const { authenticator, loopbackOnly } = options;
  const admission: AdmissionOptions = { authenticator, loopbackOnly, findClient, connections, gatewayConfig };
  const app = createApp(options, admission);
  const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: requestTimeout / 2,
      // An offer to upgrade to another protocol, such as HTTP/2, is ignored: the request is answered normally.
      shouldUpgradeCallback: ({ headers }) => /(?:^|,)\s*websocket\s*(?:,|$)/i.test(headers.upgrade ?? ""),
    },
  });
  const removePublicPath = (request: IncomingMessage): void => {
    request.url = withoutPublicPath(request.url ?? "/", publicPathOf(gatewayConfig().publicUrl));
  };
  server.on("connection", (socket: Socket) => connections.add(socket));
  // Ahead of the listener that answers, which may find a proof at once.
  server.prependListener("request", (request: IncomingMessage) => {
    connections.reset(request.socket);
    removePublicPath(request);
  });
  server.on("upgrade", (request, socket, head) => {
    removePublicPath(request);
    // A client that is gone before it has its answer needs none.
    socket.on("error", (error: Error) => engine.parts.logger.debug("A handshake broke off", { error }));
    const handshake = admitHandshake(request, admission);
    if (handshake.type === "refused") {
      socket.end(`HTTP/1.1 ${handshake.status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    // Clients of the socket have a separate limit.
    connections.prove(request.socket);
    options.clients.handleUpgrade(request, { socket, head, client: handshake.client });
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

function createApp(options: HttpServerOptions, admission: AdmissionOptions): Hono<HttpEnv> {
  const { engine } = options;
  const { storage } = engine.parts;
  const app = new Hono<HttpEnv>();
  const files = options.webFolder === undefined ? undefined : new StaticFiles(options.webFolder);
  const webhooks = new WebhookRequests({ clock: options.clock, connections: admission.connections });

  app.onError((error, context) => {
    // The client keeps its data: nothing of it was stored.
    if (storage.recordFailure(error)) return renderStorageFull(error.message);
    engine.parts.logger.error("A request failed", { path: context.req.path, error });
    return context.json(
      renderError("The gateway had an internal error; its log has the details.", { type: "server_error", code: "internal" }),
      500,
    );
  });
  app.get("/healthz", (context) => guardRoute(context, "GET /healthz", admission) ?? context.json({ ok: true }));
  app.get("/readyz", (context) => {
    const refused = guardRoute(context, "GET /readyz", admission);
    if (refused !== undefined) return refused;
    const reason = options.readiness();
    return reason === undefined ? context.json({ ready: true }) : context.json({ ready: false, reason }, 503);
  });
  app.get(
    "/metrics",
    async (context) =>
      guardRoute(context, "GET /metrics", admission) ?? context.body(await options.metrics(), 200, { "content-type": METRICS_TYPE }),
  );
  addOpenAiRoutes(app, engine, admission);
  addPluginRoutes(app, { routesOf: options.pluginRoutes, clock: options.clock, admission });
  app.post("/uploads", async (context) => {
    const refused = guardRoute(context, "POST /uploads", admission);
    if (refused !== undefined) return refused;
    if (storage.problem !== undefined) return renderStorageFull(storage.problem.reason);
    return handleUpload(context.env.incoming, engine.parts.media.uploads);
  });
  app.get("/media/:id", async (context) => {
    const refused = guardRoute(context, "GET /media", admission);
    return refused ?? handleMedia({ id: context.req.param("id"), sessionKey: context.req.query("session") ?? "" }, engine.parts);
  });
  const toChannel = async (context: Context<HttpEnv>, address: Pick<Origin, "channel" | "accountId">): Promise<Response> => {
    // A platform authenticates by its signature, which the channel verifies on the raw bytes; the gateway's token means nothing here.
    if (authorize({ type: "platform" }, { type: "http", route: "ANY /channels" }, OWN).type !== "allow") return context.notFound();
    const { channels } = engine.parts;
    const channel = channels.channelFor(address);
    if (channel === undefined) {
      // An account that is starting gets its events again; one that is not configured gets 404.
      if (channels.accountFor(address)?.enabled === true) return context.json({ error: "not yet, send it again" }, 503, RETRY);
      return context.json({ error: "no such channel account is running" }, 404);
    }
    try {
      // On a full disk too: the sender is notified on the platform, and the platform redelivers refused events.
      return await webhooks.handle(channel, context.req.raw, context.env.incoming as IncomingMessage);
    } catch (error) {
      if (!storage.recordFailure(error)) throw error;
      // A platform gets no details of this machine.
      return context.json({ error: "nothing can be stored now, send it again" }, 503, RETRY);
    }
  };
  app.all("/channels/:channel/:accountId", async (context) =>
    toChannel(context, { channel: context.req.param("channel"), accountId: context.req.param("accountId") }),
  );
  addHookRoutes(app, { ...options, engine, admission, requests: webhooks });
  // Behind the gateway's own routes, and ahead of the page, which has only files.
  app.all("*", async (context, next) => {
    const address = accountOfPath(context.req.path, engine.parts.channels);
    return address === undefined ? next() : toChannel(context, address);
  });
  app.get("/*", async (context) => {
    const refused = guardRoute(context, "GET /", admission);
    if (refused !== undefined) return refused;
    if (files === undefined) return context.text("This build has no Control UI.", 404);
    // The page's own addresses are relative: they need the slash.
    const path = publicPathOf(admission.gatewayConfig().publicUrl);
    if (path !== "" && context.req.path === path) return context.redirect(`${path}/`, 308);
    return (await files.serve(context.req.path, context.req.raw.headers)) ?? context.notFound();
  });
  return app;
}

/** The client of a handshake, or the status line of its refusal. */
function admitHandshake(
  request: IncomingMessage,
  admission: AdmissionOptions,
): { readonly type: "admitted"; readonly client: ClientAddress } | { readonly type: "refused"; readonly status: string } {
  if (URL.parse(request.url ?? "/", "http://localhost")?.pathname !== "/ws") return { type: "refused", status: "404 Not Found" };
  const decision = admitRequest(request, "GET /ws", admission);
  if (decision.type === "admitted") return decision;
  const { status, headers } = decision;
  const lines = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`);
  return { type: "refused", status: `${status} ${STATUS_CODES[status] ?? ""}${lines.join("")}` };
}

/** Logged once per process: a proxy has many requests. */
function warnOnce(logger: Logger): () => void {
  let isTold = false;
  return () => {
    if (isTold) return;
    isTold = true;
    logger.warn(
      "A reverse proxy on this machine passes requests on, and gateway.trustedProxies does not list it: its clients cannot be told apart. Add 127.0.0.1 to gateway.trustedProxies",
    );
  };
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
