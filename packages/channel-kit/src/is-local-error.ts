/** Node's error codes for invalid request arguments, and for modules that are missing. */
const PROGRAM =
  /^(?:MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED)$|^ERR_(?:INVALID_\w+|MISSING_ARGS|OUT_OF_RANGE|UNESCAPED_CHARACTERS|METHOD_NOT_IMPLEMENTED|HTTP_INVALID_HEADER_VALUE|BUFFER_\w+)$/;

/** Error codes of an unreadable file; a socket can have some of them too. */
const FILE = /^(?:ENOENT|EACCES|EPERM|EISDIR|ENOTDIR|ELOOP|ENAMETOOLONG|EIO)$/;

const SOCKET_CALLS: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo", "bind", "listen", "shutdown", "write"]);

/** How the standard `fetch` reports a failed connection: a `TypeError` that differs only in its message. */
const CONNECTION = /^(?:fetch failed|failed to fetch|terminated|network error)$/i;

/**
 * True for failures in this process: a bug, an invalid argument, a missing module, an unreadable file. The same call always fails in the same way, so a retry is useless. False
 * for everything that the network or the other side may have caused. The cause of an error decides if it has a code.
 */
export function isLocalError(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.name === "NotReadableError") return true;
    const { code, syscall } = at as { readonly code?: unknown; readonly syscall?: unknown };
    if (typeof code === "string") return PROGRAM.test(code) || (FILE.test(code) && !SOCKET_CALLS.has(syscall));
  }
  return (error instanceof TypeError && !CONNECTION.test(error.message)) || error instanceof ReferenceError;
}
