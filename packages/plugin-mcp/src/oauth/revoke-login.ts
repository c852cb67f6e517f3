import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../server-settings.ts";
import { createAuthFetch, isSafeAddress } from "./auth-fetch.ts";
import { clientAt } from "./client-identity.ts";
import { discoverIssuer, isSameIssuer } from "./discover-issuer.ts";
import { LoginError } from "./login-error.ts";
import { LoginStore } from "./login-store.ts";
import type { LoginOptions } from "./server-logins.ts";

/** What became of the tokens at the service. `unsupported`: it takes none back (RFC 7009). */
export type Revocation = "revoked" | "unsupported" | "no-login";

/** Has the authorization server take back the tokens of a login. Rejects with a `LoginError` if it does not. What is kept here stays. */
export async function revokeLogin(server: string, settings: RemoteServer, options: LoginOptions): Promise<Revocation> {
  const login = await new LoginStore(options.logins, options.clock).read(server, settings.url);
  const { tokens, resourceMetadataUrl } = login;
  if (tokens === undefined) return "no-login";
  const { oauth } = settings;
  const sdk = await import("@modelcontextprotocol/client");
  const fetch = createAuthFetch([settings.url, ...(oauth?.issuer === undefined ? [] : [oauth.issuer])], options);
  try {
    const { metadata } = await discoverIssuer(settings.url, { oauth, challenge: { resourceMetadataUrl }, fetch, sdk });
    const endpoint = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
    if (typeof endpoint !== "string") return "unsupported";
    if (!isSafeAddress(new URL(endpoint))) throw new LoginError("its address for that is not encrypted");
    const client = await clientAt(metadata.issuer, { oauth, login, readSecret: options.readSecret });
    // What one authorization server has given never goes to another.
    if (client === undefined || !isSameIssuer(metadata.issuer, tokens.issuer ?? metadata.issuer))
      throw new LoginError("the tokens are of another authorization server");
    const methods =
      "revocation_endpoint_auth_methods_supported" in metadata
        ? metadata.revocation_endpoint_auth_methods_supported
        : metadata.token_endpoint_auth_methods_supported;
    const isBasic = Array.isArray(methods) ? methods.includes("client_secret_basic") : true;
    // The one that makes further ones first.
    for (const [hint, token] of [
      ["refresh_token", tokens.refresh_token],
      ["access_token", tokens.access_token],
    ] as const) {
      if (token === undefined) continue;
      const { headers, form } = identify(client, isBasic);
      const body = new URLSearchParams({ token, token_type_hint: hint, ...form });
      const response = await fetch(endpoint, { method: "POST", headers, body });
      await response.body?.cancel();
      if (!response.ok) throw new LoginError(`it answers with ${response.status}`);
    }
    return "revoked";
  } catch (error) {
    if (error instanceof LoginError) throw error;
    throw new LoginError(error instanceof Error ? error.message : "unknown reason", { cause: error });
  }
}

/** How a client names itself (RFC 6749, 2.3.1). */
function identify(
  { client_id: id, client_secret: secret }: StoredOAuthClientInformation,
  isBasic: boolean,
): { readonly headers: Readonly<Record<string, string>>; readonly form: Readonly<Record<string, string>> } {
  if (secret === undefined) return { headers: {}, form: { client_id: id } };
  if (!isBasic) return { headers: {}, form: { client_id: id, client_secret: secret } };
  const pair = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64");
  return { headers: { authorization: `Basic ${pair}` }, form: {} };
}
