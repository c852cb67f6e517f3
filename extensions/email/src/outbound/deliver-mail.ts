import { Readable } from "node:stream";
import type { CallOptions, ChannelErrorCode } from "@factotum/channel-contract";
import { PlatformFailure, raceAbort } from "@factotum/channel-kit";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SMTPConnectionAuth, SMTPConnectionCustomAuthContext, SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { EmailConfig, MailServer } from "../config.ts";
import { domainOf } from "../conversation-id.ts";
import { connectFailure, loginFailure, printable, refusal } from "../errors.ts";
import { loadSmtp } from "../load-libraries.ts";
import type { Credential, MailAccount } from "../login/logins.ts";

const CONNECT_MS = 30_000;
/** A server may check a mail for long before it answers. */
const SILENCE_MS = 120_000;

/** An error of the library. */
interface SmtpError extends Error {
  readonly code?: string;
  /** The server's answer, with its number in front. */
  readonly response?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

/** A connection that is logged in, if the server wants logins. */
interface SmtpSession {
  readonly connection: SMTPConnection;
  /** Rejects with the library's error when the connection breaks. */
  readonly broken: Promise<never>;
}

/** Connects and logs in, and leaves; rejects with a PlatformFailure. */
export async function checkSmtp(account: MailAccount, options: CallOptions): Promise<void> {
  const { connection } = await openSmtp(account, options);
  connection.quit();
}

/**
 * Sends one mail to one address, after `beforeSend`, which is called once the server is ready to take it. Resolves once the server has accepted it; rejects with
 * a PlatformFailure: `no-answer` if the whole mail was sent and the connection ended before the answer, so that it may have been delivered.
 */
export async function deliverMail(
  account: MailAccount,
  { to, source }: { readonly to: string; readonly source: Buffer },
  { beforeSend, signal }: CallOptions & { readonly beforeSend: () => Promise<void> },
): Promise<void> {
  const { config } = account;
  const { connection, broken } = await openSmtp(account, { signal });
  let isSent = false;
  try {
    await beforeSend();
    const content = Readable.from([source], { objectMode: false });
    // Behind the end of the content the library sends the line that ends the mail.
    content.once("end", () => {
      isSent = true;
    });
    const { address: from } = config;
    const answered = new Promise<void>((resolve, reject) => {
      connection.send({ from, to, size: source.length }, content, (error) => (error === null ? resolve() : reject(error)));
    });
    await raceAbort(Promise.race([answered, broken]), { signal });
  } catch (error) {
    connection.close();
    throw sendFailure(config, error, isSent);
  }
  connection.quit();
}

async function openSmtp({ config, logins }: MailAccount, options: CallOptions): Promise<SmtpSession> {
  return logins.run("smtp", async (credential) => connect(config, credential, options), options);
}

async function connect(config: EmailConfig, credential: Credential, { signal }: CallOptions): Promise<SmtpSession> {
  const { smtp } = config;
  const server = { ...smtp, port: smtp.port ?? (smtp.tls === true ? 465 : 587) };
  const { Connection } = await loadSmtp();
  const connection = new Connection(connectionOptions(server, domainOf(config.address)));
  const { promise: broken, reject } = Promise.withResolvers<never>();
  // Its failure is that of the step that waits for it.
  broken.catch(() => undefined);
  connection.on("error", reject);
  connection.once("end", () => reject(new Error("the server ended the connection")));
  const step = async (begin: (done: (error?: Error | null) => void) => void): Promise<void> => {
    const work = new Promise<void>((resolve, fail) => begin((error) => (error ? fail(error) : resolve())));
    await raceAbort(Promise.race([work, broken]), { signal });
  };
  let isLoggingIn = false;
  try {
    signal.throwIfAborted();
    await step((done) => connection.connect(done));
    isLoggingIn = true;
    // A server without logins takes mail by the address of the client.
    if (connection.allowsAuth) await step((done) => connection.login(authOf(credential), done));
  } catch (error) {
    connection.close();
    if (!isAnswer(error) || error.command === "STARTTLS") throw connectFailure("smtp", server, error);
    throw isLoggingIn && error.responseCode >= 500
      ? loginFailure("smtp", smtp, { type: credential.type, answer: error.response ?? "", cause: error })
      : answerFailure(error, "connect");
  }
  return { connection, broken };
}

/** Not a name of the library's own: its XOAUTH2 wants to fetch tokens itself. */
const TOKEN_LOGIN = "ACCESS-TOKEN";

function authOf(credential: Credential): SMTPConnectionAuth {
  const { user } = credential;
  return credential.type === "password" ? { user, pass: credential.password } : { user, pass: credential.accessToken, method: TOKEN_LOGIN };
}

/** SASL XOAUTH2. A refusal comes as a challenge with its reason, which is answered with an empty line. */
async function logInByToken(login: SMTPConnectionCustomAuthContext): Promise<void> {
  const { user, pass } = login.auth.credentials;
  const bytes = Buffer.from(`user=${user}\x01auth=Bearer ${pass}\x01\x01`);
  const answer = await login.sendCommand(`AUTH XOAUTH2 ${bytes.toString("base64")}`);
  const last = answer.status === 334 ? await login.sendCommand("") : answer;
  if (last.status < 200 || last.status > 299) throw new Error("the login was refused");
}

function connectionOptions({ host, port, tls, ca }: MailServer & { readonly port: number }, name: string): SMTPConnectionOptions {
  return {
    host,
    port,
    secure: tls === true,
    requireTLS: tls === "starttls",
    ignoreTLS: tls === false,
    name,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    socketCloseTimeout: 0,
    customAuth: { [TOKEN_LOGIN]: logInByToken },
    ...(ca !== undefined && { tls: { ca } }),
  };
}

function sendFailure({ smtp }: EmailConfig, error: unknown, isSent: boolean): PlatformFailure {
  if (isAnswer(error)) return answerFailure(error, error.command === "RCPT TO" ? "recipient" : "mail");
  const reason = error instanceof Error ? printable(error.message) : "unknown";
  return isSent
    ? new PlatformFailure({ type: "no-answer" }, `the SMTP server ${smtp.host} got the mail and did not answer: ${reason}`, {
        cause: error,
      })
    : new PlatformFailure(
        { type: "not-sent" },
        `the connection to the SMTP server ${smtp.host} ended before the mail was sent: ${reason}`,
        { cause: error },
      );
}

function isAnswer(error: unknown): error is SmtpError & { readonly responseCode: number } {
  return error instanceof Error && "responseCode" in error && typeof error.responseCode === "number" && error.responseCode >= 400;
}

/** The failure for a refusal of the server. An answer to the whole mail is one, too: it was not accepted. */
function answerFailure(error: SmtpError & { readonly responseCode: number }, step: "connect" | "recipient" | "mail"): PlatformFailure {
  const answer = error.response ?? "";
  const message = `the SMTP server refused it: ${printable(answer)}`;
  const retryAfterMs = delayIn(answer);
  if (error.responseCode < 500) {
    const isLimit = retryAfterMs !== undefined || /\b4\.7\.\d|grey-?list|rate|too (?:many|fast|much)|throttl/i.test(answer);
    return refusal(isLimit ? "rate-limited" : "unreachable", message, {
      cause: error,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
  return refusal(codeOf(error.responseCode, answer, step), message, { cause: error });
}

function codeOf(status: number, answer: string, step: "connect" | "recipient" | "mail"): ChannelErrorCode {
  const enhanced = /\b5\.(\d{1,3}\.\d{1,3})\b/.exec(answer)?.[1] ?? "";
  if (status === 530 || status === 534 || status === 535) return "unauthorized";
  if (status === 552 || enhanced === "3.4" || enhanced === "2.3") return "too-long";
  if (enhanced.startsWith("7.")) return "forbidden";
  if (enhanced.startsWith("1.")) return "not-found";
  if (step === "recipient") return "not-found";
  return status === 550 || status === 554 ? "forbidden" : "rejected";
}

/** The delay that a server asks for in its text, which has no field for it. Milliseconds. */
function delayIn(answer: string): number | undefined {
  const [, hours, minutes, seconds] = /\b(\d{1,2}):(\d{2}):(\d{2})\b/.exec(answer) ?? [];
  if (hours !== undefined) return (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  const [, count, unit] = /\b(\d{1,5}) ?(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?)\b/i.exec(answer) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (unit?.toLowerCase().startsWith("m") === true ? 60_000 : 1_000);
}
