import type { AddressInfo } from "node:net";
import type { Clock, Random } from "@factotum/agent-contract";
import { createAdaptorServer } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
  type McpHttpHandler,
  type McpServer,
} from "@modelcontextprotocol/server";

/** What an endpoint needs. */
export interface McpEndpointOptions {
  /** A server for one connection, or for one request of the newer revision. */
  readonly createServer: () => McpServer;
  /** True if a request with this bearer token may be answered. Rejects if that cannot be said now. */
  readonly isAuthorized: (token: string | undefined) => Promise<boolean>;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of failures; no client gets their details. */
  readonly onError: (error: Error) => void;
}

/** A listening endpoint. */
export interface ListeningEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAtMs: number;
}

/** Sessions of clients that went away without a word would stay forever. */
const MAX_SESSIONS = 32;
const IDLE_MS: number = 60 * 60_000;
const PATH = "/mcp";

/**
 * Streamable HTTP on loopback: revision 2026-07-28 without sessions, and the older ones with sessions, of which the least recently used ends when there are more
 * than 32. Requests that name another host or come from another site's page are refused, so that no page can reach it under a name of its own (DNS rebinding).
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #handler: McpHttpHandler;
  readonly #sessions = new Map<string, Session>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    this.#handler = createMcpHandler(options.createServer, { legacy: "reject", onerror: options.onError });
  }

  /** Answers one request. */
  async fetch(request: Request): Promise<Response> {
    const foreign =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? originValidationResponse(request, localhostAllowedOrigins());
    if (foreign !== undefined) return foreign;
    const refused = await this.#refuse(request);
    if (refused !== undefined) return refused;
    if (new URL(request.url).pathname !== PATH)
      return Response.json({ error: `There is nothing at this address; the server is at ${PATH}.` }, { status: 404 });
    return (await isLegacyRequest(request)) ? this.#fetchInSession(request) : this.#handler.fetch(request);
  }

  async #refuse(request: Request): Promise<Response | undefined> {
    const { isAuthorized, onError } = this.#options;
    try {
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
      if (await isAuthorized(token)) return undefined;
    } catch (error) {
      onError(error instanceof Error ? error : new Error("the token could not be checked", { cause: error }));
      return Response.json({ error: "The gateway does not answer now." }, { status: 503 });
    }
    return Response.json({ error: "Send the gateway's token: Authorization: Bearer <token>." }, { status: 401, headers: CHALLENGE });
  }

  /** Listens on loopback; port 0 chooses one. Rejects if the port is taken. */
  async listen(port: number): Promise<ListeningEndpoint> {
    const server = createAdaptorServer({ fetch: async (request) => this.fetch(request) });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
      close: async () => {
        await this.close();
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          if ("closeAllConnections" in server) server.closeAllConnections();
        });
      },
    };
  }

  /** Ends all sessions and requests. */
  async close(): Promise<void> {
    await this.#handler.close();
    await Promise.all([...this.#sessions.values()].map(async ({ transport }) => transport.close()));
  }

  async #fetchInSession(request: Request): Promise<Response> {
    const { clock } = this.#options;
    const id = request.headers.get("mcp-session-id");
    if (id === null) return (await this.#open()).handleRequest(request);
    const session = this.#sessions.get(id);
    if (session === undefined)
      return Response.json({ jsonrpc: "2.0", error: { code: -32_001, message: "Session not found" }, id: null }, { status: 404 });
    session.usedAtMs = clock.monotonic();
    // The last place of the map is the most recently used.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  /** A transport for a first request. It becomes a session if that is an `initialize`. */
  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const { random, clock, createServer, onError } = this.#options;
    await this.#endOld();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => random.uuid(),
      onsessioninitialized: (id) => void this.#sessions.set(id, { transport, usedAtMs: clock.monotonic() }),
    });
    const server = createServer();
    server.server.onerror = onError;
    await server.connect(transport);
    server.server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    return transport;
  }

  async #endOld(): Promise<void> {
    const oldest = this.#options.clock.monotonic() - IDLE_MS;
    const ended = [...this.#sessions].filter(([, { usedAtMs }], index) => usedAtMs < oldest || index <= this.#sessions.size - MAX_SESSIONS);
    for (const [id, { transport }] of ended) {
      this.#sessions.delete(id);
      await transport.close();
    }
  }
}

const CHALLENGE = { "www-authenticate": "Bearer" };
