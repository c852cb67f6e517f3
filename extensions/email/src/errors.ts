import type { ChannelError, ChannelErrorCode, SendReceipt } from "@factotum/channel-contract";
import { createErrorClassifier, errorCodeOf, isLocalError, networkFailureOf, PlatformFailure } from "@factotum/channel-kit";
import type { MailServer } from "./config.ts";

/** Codes of failures are those of the contract: a server's numbers mean one of them by their context. */
const CODES: Readonly<Record<ChannelErrorCode, ChannelErrorCode>> = {
  unauthorized: "unauthorized",
  forbidden: "forbidden",
  "not-found": "not-found",
  "rate-limited": "rate-limited",
  "too-long": "too-long",
  rejected: "rejected",
  unreachable: "unreachable",
};

const classifier = createErrorClassifier({ codes: CODES });

/** Maps an error for everything but sends. */
export function toChannelError(error: unknown): ChannelError {
  return classifier.toChannelError(error);
}

/** Maps an error of a send. */
export function toReceipt(error: unknown): SendReceipt {
  return classifier.toReceipt(error);
}

/** A refusal with a code of the contract. */
export function refusal(
  code: ChannelErrorCode,
  message: string,
  options: ErrorOptions & { readonly retryAfterMs?: number } = {},
): PlatformFailure {
  const { retryAfterMs, ...rest } = options;
  return new PlatformFailure({ type: "refused", code, ...(retryAfterMs !== undefined && { retryAfterMs }) }, message, rest);
}

/** Which server, for messages: `imap` and `smtp` are also its keys in the configuration. */
export type Protocol = "imap" | "smtp";

/** Codes of a certificate that is not accepted. */
const CERTIFICATE =
  /^(?:CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|INVALID_PURPOSE)$/;
/** Codes of a connection on which the other side speaks no TLS. */
const NO_TLS = /^(?:ERR_SSL_WRONG_VERSION_NUMBER|EPROTO|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_\w+)$/;

/** The failure for a connection that could not be opened: what is wrong, and which setting to check. */
export function connectFailure(protocol: Protocol, server: MailServer & { readonly port: number }, cause: unknown): PlatformFailure {
  if (cause instanceof PlatformFailure) return cause;
  const { host, port } = server;
  const code = originalCodeOf(cause);
  const name = protocol.toUpperCase();
  const fail = (text: string): PlatformFailure => new PlatformFailure({ type: "not-sent" }, text, { cause });
  if (CERTIFICATE.test(code))
    return fail(
      `the certificate of the ${name} server ${host} is not accepted (${code}): set ${protocol}.host to the name in the certificate, or ${protocol}.ca to the certificate of its authority`,
    );
  if (NO_TLS.test(code))
    return fail(
      `the ${name} server ${host}:${port} does not speak TLS from the start: check ${protocol}.port, or set ${protocol}.tls to "starttls"`,
    );
  if (isWithoutStartTls(cause))
    return fail(
      `the ${name} server ${host}:${port} offers no STARTTLS: check ${protocol}.tls and ${protocol}.port; nothing was sent in clear`,
    );
  if (code === "ENOTFOUND" || code.startsWith("EAI_") || code === "EDNS") return fail(`there is no host ${host}: check ${protocol}.host`);
  if (code === "ECONNREFUSED") return fail(`nothing answers at ${host}:${port}: check ${protocol}.host and ${protocol}.port`);
  if (/TIMEDOUT|TIMEOUT|CONNECT_TIMEOUT|GREETING/i.test(code))
    return fail(`the ${name} server ${host}:${port} does not answer: check ${protocol}.host, ${protocol}.port and the firewall`);
  if (isLocalError(cause)) return new PlatformFailure({ type: "local" }, "the connection could not be made", { cause });
  const reason = cause instanceof Error ? printable(cause.message) : "unknown";
  return fail(`the connection to the ${name} server ${host}:${port} failed: ${reason}`);
}

/** The failure for a login that the server refuses. */
export function loginFailure(
  protocol: Protocol,
  { host }: MailServer,
  { type, answer, cause }: { readonly type: "password" | "token"; readonly answer: string; readonly cause: unknown },
): PlatformFailure {
  const advice =
    type === "password"
      ? `check ${protocol}.user and ${protocol}.password; many providers want a password made for programs`
      : `check ${protocol}.user, and whether the token is for this server, by its scope and application`;
  return refusal("unauthorized", `the ${protocol.toUpperCase()} server ${host} refuses the login: ${advice} (${printable(answer)})`, {
    cause,
  });
}

/** True for a login that a server or the token endpoint refuses. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof PlatformFailure && error.reason.type === "refused" && error.reason.code === "unauthorized";
}

/** The failure for a connection that ended, with its cause. */
export function endedFailure(protocol: Protocol, cause: unknown): PlatformFailure {
  if (cause instanceof PlatformFailure) return cause;
  const reason = cause instanceof Error ? `: ${printable(cause.message)}` : "";
  const type = networkFailureOf(cause) === "local" ? "local" : "not-sent";
  return new PlatformFailure({ type }, `the connection to the ${protocol.toUpperCase()} server ended${reason}`, { cause });
}

/** A text of a server, as it can stand in a log line. */
export function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 200);
}

/** Both libraries say it in words. */
function isWithoutStartTls(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return /does not support STARTTLS/i.test(cause.message) || ("command" in cause && cause.command === "STARTTLS");
}

function originalCodeOf(cause: unknown): string {
  const original =
    cause instanceof Error && "originalCode" in cause && typeof cause.originalCode === "string" ? cause.originalCode : undefined;
  return original ?? errorCodeOf(cause);
}
