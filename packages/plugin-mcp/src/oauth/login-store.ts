import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { Clock } from "@factotum/agent-contract";
import { isObject } from "../check-schema.ts";
import type { LoginPorts } from "../ports.ts";

/** What a server said when it refused a request. Its own words. */
export interface Challenge {
  readonly scope?: string | undefined;
  /** Where it describes itself. */
  readonly resourceMetadataUrl?: string | undefined;
}

/** What is kept of the login at one server. */
export interface StoredLogin {
  /** The server's address. Another one gets nothing of it. */
  readonly url: string;
  /** Stamped with their issuer. */
  readonly tokens?: StoredOAuthTokens | undefined;
  /** Milliseconds since 1970. Absent: unknown. */
  readonly expiresAtMs?: number | undefined;
  /** A registration that was made for this server, stamped with its issuer. */
  readonly client?: StoredOAuthClientInformation | undefined;
  /** Where that registration may send codes. */
  readonly redirectUrl?: string | undefined;
  /** The scope that the last login asked for. */
  readonly requestedScope?: string | undefined;
  /** The server has described itself as a protected resource, and has to go on doing so. */
  readonly isDescribed?: boolean | undefined;
  /** Where the server describes itself, if it has said so. */
  readonly resourceMetadataUrl?: string | undefined;
  /** The last refusal, for the next login. */
  readonly challenge?: Challenge | undefined;
}

const VERSION = 1;

/** The logins at servers, each in a private file of its own. Whatever is read or written is made known as a secret first. */
export class LoginStore {
  readonly #ports: LoginPorts;
  readonly #clock: Pick<Clock, "now">;
  /** What is hidden already. */
  readonly #known = new Set<string>();

  constructor(ports: LoginPorts, clock: Pick<Clock, "now">) {
    this.#ports = ports;
    this.#clock = clock;
  }

  /** What is kept for this server at this address; nothing if there is no file, or it is damaged or for another address. */
  async read(server: string, url: string): Promise<StoredLogin> {
    const text = await this.#ports.read(server);
    const stored = text === undefined ? undefined : parse(text);
    if (stored?.url !== url) return { url };
    this.#hide(stored);
    return stored;
  }

  /** Rejects if it cannot be written. */
  async write(server: string, login: StoredLogin): Promise<void> {
    this.#hide(login);
    await this.#ports.write(server, `${JSON.stringify({ version: VERSION, ...login })}\n`);
  }

  /** Writes new tokens, with the time at which they end. */
  async writeTokens(server: string, login: StoredLogin, tokens: StoredOAuthTokens): Promise<void> {
    const { expires_in: seconds } = tokens;
    const expiresAtMs = seconds === undefined ? undefined : this.#clock.now() + seconds * 1_000;
    await this.write(server, { ...login, tokens, expiresAtMs });
  }

  #hide(login: StoredLogin): void {
    const added = secretsOf(login).filter((secret) => !this.#known.has(secret));
    if (added.length === 0) return;
    for (const secret of added) this.#known.add(secret);
    this.#ports.addSecrets(added);
  }
}

function parse(text: string): StoredLogin | undefined {
  try {
    const stored: unknown = JSON.parse(text);
    if (!isObject(stored) || stored["version"] !== VERSION || typeof stored["url"] !== "string") return undefined;
    const { version: _version, ...login } = stored;
    return login as unknown as StoredLogin;
  } catch {
    // Damaged: the owner logs in again.
    return undefined;
  }
}

function secretsOf({ tokens, client }: StoredLogin): readonly string[] {
  const secrets = [tokens?.access_token, tokens?.refresh_token, tokens?.id_token, client?.client_secret];
  return secrets.filter((secret) => secret !== undefined);
}
