import type { CallOptions } from "@factotum/channel-contract";
import type { EmailConfig, MailLogin, OAuthLogin } from "../config.ts";
import { isUnauthorized } from "../errors.ts";
import type { Protocol } from "../errors.ts";
import { createAccessTokens } from "./access-tokens.ts";
import type { AccessTokenParts, AccessTokens } from "./access-tokens.ts";

/** What a server is given. */
export type Credential =
  | { readonly type: "password"; readonly user: string; readonly password: string }
  | { readonly type: "token"; readonly user: string; readonly accessToken: string };

/** The logins of an account. */
export interface Logins {
  /**
   * Logs in by `use`, which rejects with a PlatformFailure. If a server refuses a token that was right before, which can end early, it is called once more with a
   * new one.
   */
  run<T>(protocol: Protocol, use: (credential: Credential) => Promise<T>, options: CallOptions): Promise<T>;
}

/** An account with its logins. */
export interface MailAccount {
  readonly config: EmailConfig;
  readonly logins: Logins;
}

/** Creates the logins of an account; both servers share the tokens of one login. */
export function createLogins({ imap, smtp }: Pick<EmailConfig, "imap" | "smtp">, parts: AccessTokenParts): Logins {
  const tokens = new Map<string, AccessTokens>();
  const tokensOf = (login: OAuthLogin): AccessTokens => {
    const key = JSON.stringify([login.tokenUrl, login.clientId, login.clientSecret, login.refreshToken, login.scope]);
    const known = tokens.get(key) ?? createAccessTokens(login, parts);
    tokens.set(key, known);
    return known;
  };
  return {
    async run(protocol, use, options) {
      const { user, password, accessToken, oauth } = loginOf(protocol, { imap, smtp });
      if (oauth === undefined)
        return use(accessToken === undefined ? { type: "password", user, password: password ?? "" } : { type: "token", user, accessToken });
      const source = tokensOf(oauth);
      const { token, isNew } = await source.get(options);
      try {
        return await use({ type: "token", user, accessToken: token });
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
        source.forget(token);
        if (isNew) throw error;
      }
      const next = await source.get(options);
      return use({ type: "token", user, accessToken: next.token });
    },
  };
}

/** The login of a server: for sending that of IMAP, as far as there is no other one. */
function loginOf(protocol: Protocol, { imap, smtp }: Pick<EmailConfig, "imap" | "smtp">): MailLogin & { readonly user: string } {
  if (protocol === "imap") return imap;
  const { user = imap.user, password, accessToken, oauth } = smtp;
  const isOwn = password !== undefined || accessToken !== undefined || oauth !== undefined;
  return isOwn ? { user, password, accessToken, oauth } : { ...imap, user };
}
