import type * as Sdk from "@modelcontextprotocol/client";
import type { FetchLike, OAuthClientProvider } from "@modelcontextprotocol/client";
import { createHttpTransport } from "../http-transport.ts";
import type { McpOptions } from "../ports.ts";
import type { RemoteServer } from "../server-settings.ts";
import { createAuthFetch, isSafeAddress } from "./auth-fetch.ts";
import { clientAt } from "./client-identity.ts";
import { discoverIssuer, type Issuer } from "./discover-issuer.ts";
import { LoginError, NeedsLoginError } from "./login-error.ts";
import { LoginProvider } from "./login-provider.ts";
import { LoginStore, type Challenge, type StoredLogin } from "./login-store.ts";
import { mayLogIn, type LoginOptions } from "./server-logins.ts";

/** What a login needs. */
export interface StartLoginOptions extends LoginOptions, Pick<McpOptions, "version"> {
  /** Address of this machine that gets the code: `http://127.0.0.1:…`. */
  readonly redirectUrl: string;
  readonly signal: AbortSignal;
}

/** A login that waits for the owner. */
export interface StartedLogin {
  /** Where the owner logs in. */
  readonly address: string;
  /** Whether an address is the answer to this very login, and not one that somebody else has made up. */
  readonly isAnswer: (address: string) => boolean;
  /**
   * Takes the answer: the whole address to which the browser was sent, or the code in it, and keeps the tokens. Rejects with `LoginError`; then nothing is kept.
   */
  readonly finish: (answer: string) => Promise<void>;
}

const PROBE_MS = 30_000;

/** The redirect address of the last login, so that the same registration can be used again. */
export async function lastRedirectUrl(
  server: string,
  { url }: RemoteServer,
  { logins, clock }: Pick<LoginOptions, "logins" | "clock">,
): Promise<string | undefined> {
  return (await new LoginStore(logins, clock).read(server, url)).redirectUrl;
}

/** Begins a login at a server. `undefined` if it wants none. Rejects with `LoginError`, which says why there can be none. */
export async function startLogin(server: string, settings: RemoteServer, options: StartLoginOptions): Promise<StartedLogin | undefined> {
  const { url, oauth } = settings;
  if (!mayLogIn(settings))
    throw new LoginError("its authorization is in the configuration (auth or headers); remove that to log in instead");
  if (!isSafeAddress(new URL(url))) throw new LoginError("its address is not encrypted; a login needs https://");
  const sdk = await import("@modelcontextprotocol/client");
  const store = new LoginStore(options.logins, options.clock);
  const login = await store.read(server, url);
  const challenge = mergeChallenges(login, await challengeOf(server, settings, { ...options, sdk }));
  if (challenge === undefined) return undefined;
  const fetch = createAuthFetch([url, ...(oauth?.issuer === undefined ? [] : [oauth.issuer])], options);
  try {
    const issuer = await discoverIssuer(url, { oauth, challenge, fetch, sdk });
    return await begin(server, settings, { ...options, sdk, store, login, challenge, fetch, issuer });
  } catch (error) {
    throw loginError(error);
  }
}

interface Begun extends StartLoginOptions {
  readonly sdk: typeof Sdk;
  readonly store: LoginStore;
  readonly login: StoredLogin;
  readonly challenge: Challenge;
  readonly fetch: FetchLike;
  readonly issuer: Issuer;
}

async function begin(server: string, { url, oauth }: RemoteServer, begun: Begun): Promise<StartedLogin> {
  const { sdk, store, login, challenge, fetch, issuer, redirectUrl, readSecret } = begun;
  const mayReuse = oauth?.clientId !== undefined || login.redirectUrl === redirectUrl;
  const { client: known } = login;
  const isDocument = known !== undefined && known.client_id === oauth?.clientMetadataUrl;
  const { scope, resourceMetadataUrl } = challenge;
  const provider: LoginProvider = new LoginProvider({
    oauth,
    issuer,
    redirectUrl,
    client: mayReuse || isDocument ? await clientAt(issuer.metadata.issuer, { oauth, login, readSecret }) : undefined,
    onTokens: async (tokens, client) =>
      store.writeTokens(
        server,
        {
          url,
          client,
          redirectUrl,
          resourceMetadataUrl,
          requestedScope: provider.address?.searchParams.get("scope") ?? undefined,
          isDescribed: issuer.resource !== undefined,
        },
        tokens,
      ),
  });
  const at = { serverUrl: url, fetchFn: fetch };
  await sdk.auth(provider, { ...at, ...(scope === undefined ? {} : { scope }) });
  const { address } = provider;
  if (address === undefined) throw new LoginError("its authorization server gave no address to log in at");
  const isAnswer = (answer: string): boolean => isAnswerTo(answer, { redirectUrl, state: provider.state() });
  return {
    address: address.href,
    isAnswer,
    finish: async (answer) => {
      try {
        await finish(provider, answer.trim(), { ...at, sdk, isAnswer });
      } catch (error) {
        throw loginError(error);
      }
    },
  };
}

async function finish(
  provider: OAuthClientProvider,
  answer: string,
  {
    sdk,
    serverUrl,
    fetchFn,
    isAnswer,
  }: { readonly sdk: typeof Sdk; readonly serverUrl: string; readonly fetchFn: FetchLike; readonly isAnswer: StartedLogin["isAnswer"] },
): Promise<void> {
  if (answer === "") throw new LoginError("no code was given");
  if (!answer.includes("://")) {
    await sdk.auth(provider, { serverUrl, fetchFn, authorizationCode: answer });
    return;
  }
  if (!isAnswer(answer)) throw new LoginError("this address is not the answer to this login: its place or its state is another one");
  const transport = new sdk.StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider, fetch: fetchFn });
  await transport.finishAuth(new URL(answer).searchParams);
}

function isAnswerTo(answer: string, { redirectUrl, state }: { readonly redirectUrl: string; readonly state: string }): boolean {
  const given = URL.parse(answer);
  const wanted = new URL(redirectUrl);
  return (
    given !== null && given.origin === wanted.origin && given.pathname === wanted.pathname && given.searchParams.get("state") === state
  );
}

/** Asks the server without a token what it wants; `undefined` if it takes the request. */
async function challengeOf(
  server: string,
  settings: RemoteServer,
  { sdk, fetch, version, signal, readSecret }: StartLoginOptions & { readonly sdk: typeof Sdk },
): Promise<Challenge | undefined> {
  let challenge: Challenge | undefined;
  const headers = await Promise.all(
    Object.entries(settings.headers).map(async ([name, value]) => [name, await readSecret(value)] as const),
  );
  const transport = createHttpTransport(sdk, settings, {
    fetch,
    headers: Object.fromEntries(headers),
    authProvider: {
      token: async () => Promise.resolve(undefined),
      onUnauthorized: async ({ response }) => {
        const { scope, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
        challenge = { scope, resourceMetadataUrl: resourceMetadataUrl?.href };
        return Promise.reject(new NeedsLoginError(server));
      },
    },
  });
  const client = new sdk.Client({ name: "factotum", version }, { versionNegotiation: { mode: "auto" } });
  try {
    await client.connect(transport, { timeout: PROBE_MS, signal });
    if (client.getServerCapabilities()?.tools !== undefined) await client.request({ method: "tools/list" }, { timeout: PROBE_MS, signal });
  } catch (error) {
    if (challenge === undefined)
      throw new LoginError(`it does not answer: ${error instanceof Error ? error.message : "unknown reason"}`, { cause: error });
  } finally {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  }
  return challenge;
}

/** What the server wants now, with what it has refused before and has granted. */
function mergeChallenges({ challenge: refused, tokens, requestedScope }: StoredLogin, asked: Challenge | undefined): Challenge | undefined {
  const now = asked ?? refused;
  if (now === undefined) return undefined;
  const isForMore = refused !== undefined && tokens !== undefined;
  const scopes = [...(isForMore ? [tokens.scope ?? requestedScope, refused.scope] : []), now.scope];
  const words = [...new Set(scopes.flatMap((scope) => scope?.split(" ").filter((word) => word !== "") ?? []))];
  return {
    scope: words.length === 0 ? undefined : words.join(" "),
    resourceMetadataUrl: now.resourceMetadataUrl ?? refused?.resourceMetadataUrl,
  };
}

function loginError(error: unknown): LoginError {
  if (error instanceof LoginError) return error;
  const { name, message } = error instanceof Error ? error : { name: "", message: "unknown reason" };
  // What comes with an answer of the wrong issuer may be anybody's words.
  if (name === "IssuerMismatchError")
    return new LoginError(
      "the answer comes from another authorization server, or does not say from which (iss); paste the whole address to which the browser was sent",
      { cause: error },
    );
  return new LoginError(message, { cause: error });
}
