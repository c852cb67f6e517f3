import { createHash } from "node:crypto";
import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, parseJson, PlatformFailure, raceAbort, reasonOf } from "@factotum/channel-kit";
import type { HttpClient } from "@factotum/channel-kit";
import * as z from "zod";
import type { OAuthLogin } from "../config.ts";
import { isUnauthorized, printable, refusal } from "../errors.ts";

/** A token for a login. */
interface AccessToken {
  readonly token: string;
  /** False if an earlier login used it. */
  readonly isNew: boolean;
}

/** The access tokens of one OAuth login. */
export interface AccessTokens {
  /** A token that has not expired; one request serves all callers that wait. Rejects with a PlatformFailure. */
  get(options: CallOptions): Promise<AccessToken>;
  /** A server refuses this token: the next `get` fetches another one. */
  forget(token: string): void;
}

/** What access tokens need of the channel. `signal` fires when it stops. */
export interface AccessTokenParts {
  readonly host: Pick<ChannelHost, "clock" | "fetch" | "logger" | "state">;
  readonly signal: AbortSignal;
}

/** A token is not used in its last minute, since the login and the clocks take their time. */
const MARGIN_MS = 60_000;
/** Of a token without a stated life. */
const SHORT_LIFE_S = 300;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Refresh tokens that are not used for so long expire at the large providers. */
const KEPT_MS = 180 * 24 * 60 * 60 * 1000;

const Granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive().catch(SHORT_LIFE_S).default(SHORT_LIFE_S),
  refresh_token: z.string().min(1).optional(),
});
const Refused = z.object({ error: z.string(), error_description: z.string().default("") });
const Stored = z.object({ refreshToken: z.string().min(1) });

/** Creates the tokens of a login; nothing is requested before the first `get`. */
export function createAccessTokens(login: OAuthLogin, parts: AccessTokenParts): AccessTokens {
  return new RefreshedTokens(login, parts);
}

class RefreshedTokens implements AccessTokens {
  readonly #login: OAuthLogin;
  readonly #parts: AccessTokenParts;
  readonly #request: HttpClient;
  readonly #key: string;
  #current: { readonly token: string; readonly endsAtMs: number } | undefined;
  #pending: Promise<string> | undefined;

  constructor(login: OAuthLogin, parts: AccessTokenParts) {
    this.#login = login;
    this.#parts = parts;
    this.#request = createHttpClient(parts.host, { platform: "the token endpoint" });
    const { tokenUrl, clientId, refreshToken } = login;
    const hash = createHash("sha256")
      .update(JSON.stringify([tokenUrl, clientId, refreshToken]))
      .digest("hex");
    this.#key = `oauth/${hash.slice(0, 32)}`;
  }

  async get(options: CallOptions): Promise<AccessToken> {
    const { clock } = this.#parts.host;
    if (this.#current !== undefined && clock.monotonic() < this.#current.endsAtMs) return { token: this.#current.token, isNew: false };
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return { token: await raceAbort(this.#pending, options), isNew: true };
  }

  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  /** A provider may replace the refresh token at each use: the newest one is kept. If it is refused, that of the configuration is tried. */
  async #fetch(): Promise<string> {
    const { refreshToken } = this.#login;
    const row = await this.#parts.host.state.get(this.#key);
    const stored = row?.type === "json" ? Stored.safeParse(row.json).data?.refreshToken : undefined;
    if (stored === undefined) return this.#refresh(refreshToken);
    return this.#refresh(stored).catch((error: unknown) => {
      if (!isUnauthorized(error)) throw error;
      return this.#refresh(refreshToken);
    });
  }

  async #refresh(refreshToken: string): Promise<string> {
    const { host } = this.#parts;
    const granted = await this.#ask(refreshToken);
    const { access_token: token, expires_in: lifeS, refresh_token: next } = granted;
    this.#current = { token, endsAtMs: host.clock.monotonic() + Math.max(0, lifeS * 1_000 - MARGIN_MS) };
    if (next === undefined || next === refreshToken) return token;
    const value = { type: "json", json: { refreshToken: next } } as const;
    await host.state.set(this.#key, value, { isSecret: true, expiresAtMs: host.clock.now() + KEPT_MS }).catch((error: unknown) => {
      const reason = reasonOf(error);
      host.logger.warn("the new refresh token could not be stored; a restart begins with that of the configuration", { reason });
    });
    return token;
  }

  async #ask(refreshToken: string): Promise<z.infer<typeof Granted>> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#login;
    const { host } = new URL(tokenUrl);
    const body = new URLSearchParams({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refreshToken,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
      ...(scope !== undefined && { scope }),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const limits = { signal: this.#parts.signal, maxBytes: MAX_ANSWER_BYTES };
    const answer = await this.#request(tokenUrl, { method: "POST", headers, body: body.toString() }, limits).catch((cause: unknown) => {
      // Whatever the outcome of the request, nothing was sent to a mail server.
      throw new PlatformFailure({ type: "not-sent" }, `no access token: ${reasonOf(cause)}`, { cause });
    });
    const content = parseJson(answer.bytes);
    const granted = Granted.safeParse(content);
    if (answer.status === 200 && granted.success) return granted.data;
    const refused = Refused.safeParse(content);
    if (refused.success && answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      const { error, error_description: text } = refused.data;
      const reason = printable([error, text].filter((one) => one !== "").join(": "));
      throw refusal(
        "unauthorized",
        `the token endpoint ${host} refuses the login (${reason}): check oauth.clientId, oauth.clientSecret and oauth.refreshToken`,
      );
    }
    const what = answer.status === 200 ? "no access token" : `status ${answer.status}`;
    throw new PlatformFailure({ type: "not-sent" }, `no access token: the token endpoint ${host} answered with ${what}`);
  }
}
