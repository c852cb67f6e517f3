import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { FakeIssuer } from "./fake-issuer.ts";

interface Call {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

/** A server of tools on loopback that takes the tokens of an issuer alone (RFC 9728). Its tools are `ping`, and `change`, which needs the scope `write`. */
export class GuardedMcpServer implements AsyncDisposable {
  /** The authorization of each request for tools. */
  readonly authorizations: string[] = [];
  /** The resource that it says it is. By default its address. */
  describedAs: string | undefined;
  /** Sends every request there. */
  redirectTo: string | undefined;
  /** Whether it describes itself at all. */
  isDescribed = true;
  /** Refuses `change` whatever the token allows. */
  refusesChange = false;
  issuer: FakeIssuer;
  readonly #server: Server;

  private constructor(issuer: FakeIssuer) {
    this.issuer = issuer;
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(issuer: FakeIssuer): Promise<GuardedMcpServer> {
    const server = new GuardedMcpServer(issuer);
    await new Promise<void>((resolve) => void server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `${this.#origin}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  get #origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get #description(): string {
    return `${this.#origin}/.well-known/oauth-protected-resource/mcp`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true) {
      if (!this.isDescribed) return answer(response, 404, {});
      return answer(response, 200, { resource: this.describedAs ?? this.url, authorization_servers: [this.issuer.url] });
    }
    if (this.redirectTo !== undefined) return answer(response, 307, {}, { location: this.redirectTo });
    const { authorization = "" } = request.headers;
    this.authorizations.push(authorization);
    const scope = this.issuer.scopeOf(authorization.replace(/^Bearer /, ""), this.url);
    const at = `resource_metadata="${this.#description}"`;
    if (scope === undefined) return answer(response, 401, {}, { "www-authenticate": `Bearer error="invalid_token", scope="read", ${at}` });
    if (request.method !== "POST") return answer(response, 405, {});
    const call = JSON.parse(body) as Call;
    if (call.params?.name === "change" && (this.refusesChange || !scope.split(" ").includes("write")))
      return answer(response, 403, {}, { "www-authenticate": `Bearer error="insufficient_scope", scope="write", ${at}` });
    if (call.id === undefined) return answer(response, 202, {});
    const result = resultOf(call);
    const error = { code: -32_601, message: "unknown method" };
    answer(response, 200, { jsonrpc: "2.0", id: call.id, ...(result === undefined ? { error } : { result }) });
  }
}

function resultOf({ method, params }: Call): object | undefined {
  const inputSchema = { type: "object" };
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "guarded", version: "1" } };
    case "ping":
      return {};
    case "tools/list":
      return { tools: ["ping", "change"].map((name) => ({ name, inputSchema })) };
    case "tools/call":
      return { content: [{ type: "text", text: `did ${params?.name ?? ""}` }] };
    default:
      return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
