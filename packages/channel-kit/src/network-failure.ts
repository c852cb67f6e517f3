import { isLocalError } from "./is-local-error.ts";

/** Error codes of a connection that was never established. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS_\w+|ERR_SSL_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;

/**
 * What is known after an exception of a request or connection. `local`: it failed in this process, and the same call fails again. `not-sent`: there was no
 * connection, so nothing arrived. `unknown`: it may have arrived.
 */
export type NetworkFailure = "local" | "not-sent" | "unknown";

/** Classifies an exception of `fetch` or a socket, by the code of the error or of its causes. */
export function networkFailureOf(error: unknown): NetworkFailure {
  if (isLocalError(error)) return "local";
  return NOT_SENT.test(errorCodeOf(error)) ? "not-sent" : "unknown";
}

/** The first `code` of an error and its causes; empty if there is none. */
export function errorCodeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if (at instanceof AggregateError && at.errors.length > 0) return errorCodeOf(at.errors[0]);
  }
  return "";
}
