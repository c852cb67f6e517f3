import type * as Sdk from "@modelcontextprotocol/client";
import type { AuthorizationServerMetadata, FetchLike, OAuthServerInfo } from "@modelcontextprotocol/client";
import type { OauthSettings } from "../server-settings.ts";
import { isSafeAddress } from "./auth-fetch.ts";
import { LoginError } from "./login-error.ts";
import type { Challenge } from "./login-store.ts";

/** An authorization server that may be used for a server. */
export interface Issuer {
  readonly info: OAuthServerInfo;
  readonly metadata: AuthorizationServerMetadata;
  /** What tokens are asked for, as the server writes it; absent if it does not describe itself. */
  readonly resource: string | undefined;
}

/**
 * Finds the authorization server of a server, and checks it: it describes itself, under its own name, is the configured one, proves codes with S256, and its
 * addresses are encrypted; the resource is this server. Rejects with `LoginError`, or with a `TypeError` if it cannot be reached.
 */
export async function discoverIssuer(
  url: string,
  { oauth = {}, challenge, fetch, sdk }: DiscoverOptions & { readonly sdk: typeof Sdk },
): Promise<Issuer> {
  const { resourceMetadataUrl: at } = challenge ?? {};
  const info = await sdk
    .discoverOAuthServerInfo(url, { fetchFn: fetch, ...(at === undefined ? {} : { resourceMetadataUrl: new URL(at) }) })
    .catch((error: unknown) => {
      if (error instanceof TypeError || error instanceof LoginError) throw error;
      if (sdk.IssuerMismatchError.isInstance(error))
        throw new LoginError("its authorization server calls itself by another name (issuer)", { cause: error });
      throw new LoginError("its authorization server cannot be used: it does not describe itself as the standard says", { cause: error });
    });
  const { authorizationServerMetadata: metadata, resourceMetadata } = info;
  if (metadata === undefined) throw new LoginError("it names no authorization server that describes itself (RFC 8414)");
  if (oauth.issuer !== undefined && !isSameIssuer(metadata.issuer, oauth.issuer))
    throw new LoginError("it names another authorization server than the configured one (oauth.issuer)");
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true)
    throw new LoginError("its authorization server does not prove codes with S256 (PKCE)");
  for (const address of [metadata.authorization_endpoint, metadata.token_endpoint, metadata.registration_endpoint])
    if (address !== undefined && !isSafeAddress(new URL(address)))
      throw new LoginError("its authorization server has an address that is not encrypted");
  const requestedResource = sdk.resourceUrlFromServerUrl(url);
  const resource = resourceMetadata?.resource;
  if (resource !== undefined && !sdk.checkResourceAllowed({ requestedResource, configuredResource: resource }))
    throw new LoginError("it describes itself as another resource");
  return { info, metadata, resource };
}

/** What the discovery depends on. */
export interface DiscoverOptions {
  readonly oauth?: OauthSettings | undefined;
  readonly challenge?: Challenge | undefined;
  readonly fetch: FetchLike;
}

/** Names that differ in a final `/` alone are one. */
export function isSameIssuer(left: string, right: string): boolean {
  return left.replace(/\/$/, "") === right.replace(/\/$/, "");
}
