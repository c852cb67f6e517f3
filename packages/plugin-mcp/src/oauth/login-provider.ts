import { randomBytes } from "node:crypto";
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { OauthSettings } from "../server-settings.ts";
import type { Issuer } from "./discover-issuer.ts";

/** What one login starts from, and whom it tells. */
interface LoginProviderOptions {
  readonly oauth: OauthSettings | undefined;
  readonly issuer: Issuer;
  readonly redirectUrl: string;
  readonly client: StoredOAuthClientInformation | undefined;
  /** Of the tokens that come out of it. */
  readonly onTokens: (tokens: StoredOAuthTokens, client: StoredOAuthClientInformation | undefined) => Promise<void>;
}

/** One login for the SDK. Its state and its verifier live as long as it does, in memory alone. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  readonly #options: LoginProviderOptions;
  readonly #state = randomBytes(32).toString("base64url");
  #client: StoredOAuthClientInformation | undefined;
  #discovery: OAuthDiscoveryState;
  #verifier = "";
  #address: URL | undefined;

  constructor(options: LoginProviderOptions) {
    const { oauth, redirectUrl, client, issuer } = options;
    this.#options = options;
    this.#client = client;
    this.#discovery = issuer.info;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: "Factotum",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(oauth?.scope === undefined ? {} : { scope: oauth.scope }),
      // A program that its owner runs keeps no secret of its own from its owner.
      ...(issuer.metadata.token_endpoint_auth_methods_supported?.includes("none") === true ? { token_endpoint_auth_method: "none" } : {}),
    };
    if (oauth?.clientMetadataUrl !== undefined) this.clientMetadataUrl = oauth.clientMetadataUrl;
    // A configured client is never replaced by a registration.
    if (oauth?.clientId === undefined) this.saveClientInformation = (registered) => void (this.#client = registered);
  }

  /** Where the owner logs in; `undefined` before the SDK has said it. */
  get address(): URL | undefined {
    return this.#address;
  }

  /** The same for the whole login. */
  state(): string {
    return this.#state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  /** None: a login starts from nothing. */
  tokens(): undefined {
    return undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#options.onTokens(tokens, this.#options.oauth?.clientId === undefined ? this.#client : undefined);
  }

  redirectToAuthorization(address: URL): void {
    this.#address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#discovery;
  }
}
