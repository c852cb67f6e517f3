import type { StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import type { McpOptions } from "../ports.ts";
import type { OauthSettings } from "../server-settings.ts";
import { isSameIssuer } from "./discover-issuer.ts";
import type { StoredLogin } from "./login-store.ts";

/** Who we are at an authorization server: the configured client, or the one that was registered there; `undefined` if it does not know us. */
export async function clientAt(
  issuer: string,
  { oauth, login, readSecret }: { readonly oauth: OauthSettings | undefined; readonly login: StoredLogin } & Pick<McpOptions, "readSecret">,
): Promise<StoredOAuthClientInformation | undefined> {
  if (oauth?.clientId === undefined) {
    const { client } = login;
    return client?.issuer !== undefined && isSameIssuer(client.issuer, issuer) ? client : undefined;
  }
  const secret = oauth.clientSecret === undefined ? {} : { client_secret: await readSecret(oauth.clientSecret) };
  return { client_id: oauth.clientId, ...secret, issuer };
}
