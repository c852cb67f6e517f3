import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request to the issuer. */
interface IssuerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The form of a POST. */
  readonly form: URLSearchParams;
}

interface Grant {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

/**
 * An authorization server on loopback (OAuth 2.1: RFC 8414, 7591, 7636, 8707, 9207), whose user agrees to everything. Codes and refresh tokens work once; what
 * does not fit the grant is refused.
 */
export class FakeIssuer implements AsyncDisposable {
  readonly requests: IssuerRequest[] = [];
  /** Every access and refresh token that was given, and every client secret. */
  readonly secrets: string[] = [];
  /** Seconds that a token is valid. */
  expiresIn = 3600;
  /** Replaces parts of the metadata; `undefined` leaves a part out. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** The issuer that answers name; `undefined` for none. By default its own. */
  namedInAnswers: string | undefined;
  /** Delays the answers of the token endpoint. */
  held: Promise<void> | undefined;
  readonly #server: Server;
  readonly #clients = new Map<string, { readonly secret: string; readonly redirectUris: readonly string[] }>();
  readonly #codes = new Map<string, Grant>();
  readonly #refreshable = new Map<string, Grant>();
  readonly #valid = new Map<string, Grant>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<FakeIssuer> {
    const issuer = new FakeIssuer();
    await new Promise<void>((resolve) => void issuer.#server.listen(0, "127.0.0.1", resolve));
    issuer.namedInAnswers = issuer.url;
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The scope of a valid access token for a resource; `undefined` for any other. */
  scopeOf(token: string, resource: string): string | undefined {
    const grant = this.#valid.get(token);
    return grant?.resource === resource ? grant.scope : undefined;
  }

  /** Ends all access tokens. */
  expireTokens(): void {
    this.#valid.clear();
  }

  /** Ends all refresh tokens as well. */
  revoke(): void {
    this.expireTokens();
    this.#refreshable.clear();
  }

  /** Knows a client in advance. */
  addClient(id: string, secret: string, redirectUri: string): void {
    this.#clients.set(id, { secret, redirectUris: [redirectUri] });
    this.secrets.push(secret);
  }

  /** The requests for tokens. */
  get tokenRequests(): readonly IssuerRequest[] {
    return this.requests.filter(({ path }) => path === "/token");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const body = await text(request);
    const isForm = headers["content-type"]?.includes("x-www-form-urlencoded") === true;
    const form = new URLSearchParams(isForm ? body : "");
    this.requests.push({ method, path: pathname, headers, form });
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return answer(response, 200, this.#metadata());
      case "/register":
        return this.#register(response, body);
      case "/authorize":
        return this.#authorize(response, searchParams);
      case "/revoke":
        return this.#revoke(response, form, headers.authorization);
      case "/token":
        await this.held;
        return this.#token(response, form, headers.authorization);
      default:
        return answer(response, 404, { error: "not_found" });
    }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      registration_endpoint: `${this.url}/register`,
      revocation_endpoint: `${this.url}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      ...this.metadata,
    };
  }

  #register(response: ServerResponse, body: string): void {
    const { redirect_uris: redirectUris } = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
    const [id, secret] = [`client-${randomUUID()}`, `client-secret-${randomUUID()}`];
    this.#clients.set(id, { secret, redirectUris });
    this.secrets.push(secret);
    answer(response, 201, {
      client_id: id,
      client_secret: secret,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: "client_secret_basic",
    });
  }

  #authorize(response: ServerResponse, asked: URLSearchParams): void {
    const clientId = asked.get("client_id") ?? "";
    const redirectUri = asked.get("redirect_uri") ?? "";
    const challenge = asked.get("code_challenge") ?? "";
    if (this.#clients.get(clientId)?.redirectUris.includes(redirectUri) !== true)
      return answer(response, 400, { error: "invalid_request", error_description: "an unknown client, or another redirect address" });
    if (challenge === "" || asked.get("code_challenge_method") !== "S256")
      return answer(response, 400, { error: "invalid_request", error_description: "no proof" });
    const code = randomUUID();
    const grant = { clientId, redirectUri, challenge, resource: asked.get("resource") ?? "", scope: asked.get("scope") ?? "" };
    this.#codes.set(code, grant);
    const to = new URL(redirectUri);
    to.searchParams.set("code", code);
    to.searchParams.set("state", asked.get("state") ?? "");
    if (this.namedInAnswers !== undefined) to.searchParams.set("iss", this.namedInAnswers);
    response.writeHead(302, { location: to.href }).end();
  }

  /** The id of the client that an authorization names; `undefined` if its secret is wrong. */
  #clientOf(authorization: string): string | undefined {
    const [id = "", secret] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":")
      .map(decodeURIComponent);
    const client = this.#clients.get(id);
    return client !== undefined && client.secret === secret ? id : undefined;
  }

  /** RFC 7009: an unknown token is no error. */
  #revoke(response: ServerResponse, form: URLSearchParams, authorization = ""): void {
    if (this.#clientOf(authorization) === undefined) return answer(response, 401, { error: "invalid_client" });
    const token = form.get("token") ?? "";
    this.#valid.delete(token);
    this.#refreshable.delete(token);
    answer(response, 200, {});
  }

  #token(response: ServerResponse, form: URLSearchParams, authorization = ""): void {
    const id = this.#clientOf(authorization);
    if (id === undefined) return answer(response, 401, { error: "invalid_client" });
    const isCode = form.get("grant_type") === "authorization_code";
    const grants = isCode ? this.#codes : this.#refreshable;
    const key = form.get(isCode ? "code" : "refresh_token") ?? "";
    const grant = grants.get(key);
    grants.delete(key);
    if (grant?.clientId !== id || form.get("resource") !== grant.resource) return answer(response, 400, { error: "invalid_grant" });
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (isCode && (proof !== grant.challenge || form.get("redirect_uri") !== grant.redirectUri))
      return answer(response, 400, { error: "invalid_grant" });
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.#valid.set(access, grant);
    this.#refreshable.set(refresh, grant);
    this.secrets.push(access, refresh);
    answer(response, 200, {
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: this.expiresIn,
      scope: grant.scope,
    });
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
