import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import type { McpOptions } from "../ports.ts";
import type { RemoteServer } from "../server-settings.ts";
import { createAuthFetch, isSafeAddress } from "./auth-fetch.ts";
import { clientAt } from "./client-identity.ts";
import { discoverIssuer, isSameIssuer } from "./discover-issuer.ts";
import { LoginError, NeedsLoginError } from "./login-error.ts";
import { LoginStore, type Challenge, type StoredLogin } from "./login-store.ts";

/** What logins need. */
export type LoginOptions = Pick<McpOptions, "logins" | "fetch" | "clock" | "readSecret">;

/** Tokens are renewed this long before they end. */
const EARLY_MS = 30_000;
/** Answers with which an authorization server says that only a new login helps. */
const OVER: ReadonlySet<string> = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

/** What a transport needs of a login. */
export interface ServerAuth {
  readonly authProvider: AuthProvider;
  /** The given one, remembering the token of each request. */
  readonly fetch: FetchLike;
}

/** The logins at the servers of a gateway: gives their tokens out, and renews them, once for all requests that wait. Never asks for a login. */
export class ServerLogins {
  readonly #options: LoginOptions;
  readonly #store: LoginStore;
  readonly #renewals = new Map<string, Promise<string>>();

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#store = new LoginStore(options.logins, options.clock);
  }

  /** The tokens of one server for its transport; `undefined` if the configuration says how it is to be asked. */
  authOf(server: string, settings: RemoteServer, fetch: FetchLike): ServerAuth | undefined {
    if (!mayLogIn(settings)) return undefined;
    const sent = new WeakMap<Response, string>();
    return {
      authProvider: {
        token: async () => this.#token(server, settings),
        onUnauthorized: async ({ response }) => {
          const sdk = await import("@modelcontextprotocol/client");
          const { scope, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
          await this.#renew(server, settings, {
            refused: sent.get(response),
            challenge: { scope, resourceMetadataUrl: resourceMetadataUrl?.href },
          });
        },
      },
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get("authorization") ?? "") ?? [];
        if (token !== undefined) sent.set(response, token);
        return response;
      },
    };
  }

  /** Why a request failed, if it was about the login: `NeedsLoginError`, or `LoginError` if none helps. */
  async refusalOf(server: string, settings: RemoteServer, error: unknown): Promise<NeedsLoginError | LoginError | undefined> {
    for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
      if (cause instanceof NeedsLoginError || cause instanceof LoginError) return cause;
    if (!mayLogIn(settings) || !(error instanceof Error)) return undefined;
    const sdk = await import("@modelcontextprotocol/client");
    if ("code" in error && error.code === sdk.SdkErrorCode.ClientHttpAuthentication) return new NeedsLoginError(server, { cause: error });
    if (!sdk.InsufficientScopeError.isInstance(error)) return undefined;
    const { requiredScope: scope, resourceMetadataUrl } = error;
    const login = await this.#store.read(server, settings.url);
    const known = new Set([login.requestedScope, login.tokens?.scope].flatMap((words) => words?.split(" ") ?? []));
    if (scope === undefined || scope.split(" ").every((word) => known.has(word)))
      return new LoginError("it refuses this, although the login asked for all permissions that it names", { cause: error });
    await this.#store.write(server, { ...login, challenge: { scope, resourceMetadataUrl: resourceMetadataUrl?.href } });
    return new NeedsLoginError(server, { forMore: true, cause: error });
  }

  async #token(server: string, settings: RemoteServer): Promise<string | undefined> {
    const { tokens, expiresAtMs } = await this.#store.read(server, settings.url);
    if (tokens === undefined || !isSafeAddress(new URL(settings.url))) return undefined;
    const isOver = expiresAtMs !== undefined && this.#options.clock.now() >= expiresAtMs - EARLY_MS;
    return isOver && tokens.refresh_token !== undefined
      ? this.#renew(server, settings, { refused: tokens.access_token })
      : tokens.access_token;
  }

  async #renew(server: string, settings: RemoteServer, refusal: Refusal): Promise<string> {
    const running = this.#renewals.get(server);
    if (running !== undefined) return running;
    const renewal = this.#renewOnce(server, settings, refusal).finally(() => this.#renewals.delete(server));
    this.#renewals.set(server, renewal);
    return renewal;
  }

  async #renewOnce(server: string, settings: RemoteServer, { refused, challenge }: Refusal): Promise<string> {
    const login = await this.#store.read(server, settings.url);
    // Another request, or another process, was faster.
    if (login.tokens !== undefined && refused !== undefined && login.tokens.access_token !== refused) return login.tokens.access_token;
    if (login.tokens?.refresh_token === undefined) return this.#forget(server, login, challenge);
    const resourceMetadataUrl = challenge?.resourceMetadataUrl ?? login.resourceMetadataUrl;
    const sdk = await import("@modelcontextprotocol/client");
    const fetch = createAuthFetch([settings.url, ...(settings.oauth?.issuer === undefined ? [] : [settings.oauth.issuer])], this.#options);
    const { metadata, resource } = await discoverIssuer(settings.url, {
      oauth: settings.oauth,
      challenge: { resourceMetadataUrl },
      fetch,
      sdk,
    });
    if (login.isDescribed === true && resource === undefined)
      throw new LoginError("its login cannot be renewed now: it no longer describes itself as a protected resource");
    const { issuer = metadata.issuer, refresh_token: refreshToken } = login.tokens;
    const { readSecret } = this.#options;
    const clientInformation = await clientAt(metadata.issuer, { oauth: settings.oauth, login, readSecret });
    // What one authorization server has given never goes to another.
    if (clientInformation === undefined || !isSameIssuer(metadata.issuer, issuer)) return this.#forget(server, login, challenge);
    try {
      const tokens = await sdk.refreshAuthorization(metadata.issuer, {
        metadata,
        clientInformation,
        refreshToken,
        fetchFn: fetch,
        ...(resource === undefined ? {} : { resource }),
      });
      const scope = tokens.scope ?? login.tokens.scope;
      const now = await this.#store.read(server, settings.url);
      // The owner has logged in or out meanwhile.
      if (now.tokens?.access_token !== login.tokens.access_token)
        return now.tokens?.access_token ?? (await this.#forget(server, now, undefined));
      await this.#store.writeTokens(server, now, { ...tokens, ...(scope === undefined ? {} : { scope }), issuer });
      return tokens.access_token;
    } catch (error) {
      if (!sdk.OAuthError.isInstance(error) || !OVER.has(error.code))
        throw new LoginError(`its login could not be renewed now: ${error instanceof Error ? error.message : "unknown reason"}`, {
          cause: error,
        });
      const now = await this.#store.read(server, settings.url);
      if (now.tokens !== undefined && now.tokens.access_token !== login.tokens.access_token) return now.tokens.access_token;
      return this.#forget(server, login, challenge);
    }
  }

  /** Removes tokens that are of no more use, and keeps what the next login has to know. */
  async #forget(server: string, login: StoredLogin, challenge: Challenge | undefined): Promise<never> {
    const { tokens: _tokens, expiresAtMs: _expiresAtMs, ...rest } = login;
    const isNew = challenge !== undefined && JSON.stringify(challenge) !== JSON.stringify(rest.challenge);
    if (login.tokens !== undefined || isNew) await this.#store.write(server, { ...rest, challenge: challenge ?? rest.challenge });
    throw new NeedsLoginError(server);
  }
}

interface Refusal {
  /** The token that was refused. */
  readonly refused: string | undefined;
  readonly challenge?: Challenge;
}

/** A server whose authorization is configured is asked with that alone. */
export function mayLogIn({ auth, headers }: RemoteServer): boolean {
  return auth === undefined && !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
