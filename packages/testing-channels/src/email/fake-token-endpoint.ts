import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The answer to one request. */
interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The token endpoint of an OAuth 2.0 provider on loopback (RFC 6749, section 6). It refuses what providers refuse, and gives a new access token each time. */
export class FakeTokenEndpoint implements AsyncDisposable {
  readonly clientId = "client-of-the-test";
  readonly clientSecret = "client-secret-of-the-test";
  /** The refresh token that is right now. */
  refreshToken = "refresh-token-0";
  /** Replaces the refresh token at each use. */
  rotates = false;
  /** Seconds that a token is said to be valid; `undefined` for none. */
  expiresIn: number | undefined = 3600;
  /** In place of the next answers, in order. */
  readonly answers: TokenAnswer[] = [];
  /** The form of each request. */
  readonly requests: URLSearchParams[] = [];
  /** Access tokens that were given, oldest first. */
  readonly given: string[] = [];
  readonly #server: Server;
  #held: Promise<void> | undefined;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async start(): Promise<FakeTokenEndpoint> {
    const fake = new FakeTokenEndpoint();
    await new Promise<void>((resolve) => void fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  /** Keeps back all answers until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    this.requests.push(form);
    await this.#held;
    const isForm = request.method === "POST" && request.headers["content-type"] === "application/x-www-form-urlencoded";
    const { status, body } = this.answers.shift() ?? (isForm ? this.#grant(form) : refused("invalid_request", "no form"));
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  #grant(form: URLSearchParams): TokenAnswer {
    if (form.get("grant_type") !== "refresh_token") return refused("unsupported_grant_type", "refresh_token is expected");
    const secret = form.get("client_secret") ?? this.clientSecret;
    if (form.get("client_id") !== this.clientId || secret !== this.clientSecret) return refused("invalid_client", "unknown client", 401);
    if (form.get("refresh_token") !== this.refreshToken) return refused("invalid_grant", "the refresh token has expired");
    const token = `access-token-${this.given.length + 1}`;
    this.given.push(token);
    if (this.rotates) this.refreshToken = `refresh-token-${this.given.length}`;
    const expiry = this.expiresIn === undefined ? {} : { expires_in: this.expiresIn };
    const next = this.rotates ? { refresh_token: this.refreshToken } : {};
    return { status: 200, body: { token_type: "Bearer", access_token: token, ...expiry, ...next } };
  }
}

function refused(error: string, text: string, status = 400): TokenAnswer {
  return { status, body: { error, error_description: text } };
}
