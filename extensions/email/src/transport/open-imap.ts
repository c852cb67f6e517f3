import type { CallOptions } from "@factotum/channel-contract";
import type { PlatformFailure } from "@factotum/channel-kit";
import type { ImapFlow } from "imapflow";
import { connectFailure, endedFailure, loginFailure, printable, refusal } from "../errors.ts";
import { loadImap } from "../load-libraries.ts";
import type { Credential, MailAccount } from "../login/logins.ts";
import { limitResponses, MAX_RESPONSE_BYTES } from "./limit-responses.ts";

const CONNECT_MS = 30_000;
/** A connection on which nothing was heard for so long is dead; the folder is asked more often than that. */
const SILENCE_MS = 180_000;

/** Refused logins that say nothing about the password. */
const NOT_NOW: ReadonlySet<string> = new Set(["UNAVAILABLE", "INUSE", "LIMIT", "SERVERBUG", "CONTACTADMIN"]);

/** A connection that is logged in. */
export interface ImapConnection {
  readonly imap: ImapFlow;
  /** Resolves with the reason once it has ended. */
  readonly ended: Promise<PlatformFailure>;
  /** Says goodbye within the signal. Never rejects. */
  close(options: CallOptions): Promise<void>;
}

/** Connects and logs in; rejects with a PlatformFailure. */
export async function openImap({ config, logins }: MailAccount, options: CallOptions): Promise<ImapConnection> {
  return logins.run("imap", async (credential) => connect(config.imap, credential, options), options);
}

async function connect(server: MailAccount["config"]["imap"], credential: Credential, { signal }: CallOptions): Promise<ImapConnection> {
  const { host, tls, ca } = server;
  const port = server.port ?? (tls === true ? 993 : 143);
  const Client = await loadImap();
  signal.throwIfAborted();
  const imap = new Client({
    host,
    port,
    secure: tls === true,
    doSTARTTLS: tls === "starttls",
    auth: {
      user: credential.user,
      ...(credential.type === "password" ? { pass: credential.password } : { accessToken: credential.accessToken }),
    },
    logger: false,
    disableAutoIdle: true,
    clientInfo: { name: "factotum" },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    ...(ca !== undefined && { tls: { ca } }),
  });
  const { promise: ended, resolve } = Promise.withResolvers<PlatformFailure>();
  let failure: unknown;
  imap.on("error", (error: unknown) => {
    failure ??= error;
  });
  limitResponses(imap, () => {
    failure ??= new Error(`it sent more than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB without an end`);
    imap.close();
  });
  imap.on("close", () => resolve(endedFailure("imap", failure)));
  const onAbort = (): void => imap.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await imap.connect();
  } catch (error) {
    imap.close();
    signal.throwIfAborted();
    throw isLoginFailure(error)
      ? NOT_NOW.has(error.serverResponseCode ?? "")
        ? refusal("unreachable", `the IMAP server ${host} takes no logins at the moment (${printable(error.response ?? "")})`, {
            cause: error,
          })
        : loginFailure("imap", server, { type: credential.type, answer: error.response ?? "", cause: error })
      : connectFailure("imap", { ...server, port }, failure ?? error);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return {
    imap,
    ended,
    async close(options) {
      await closeImap(imap, options);
    },
  };
}

async function closeImap(imap: ImapFlow, { signal }: CallOptions): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  // A goodbye that fails changes nothing: the connection is closed either way.
  await Promise.race([imap.usable ? imap.logout().catch(() => undefined) : undefined, late]);
  signal.removeEventListener("abort", onAbort);
  imap.close();
}

function isLoginFailure(error: unknown): error is Error & { readonly serverResponseCode?: string; readonly response?: string } {
  return error instanceof Error && "authenticationFailed" in error && error.authenticationFailed === true;
}
