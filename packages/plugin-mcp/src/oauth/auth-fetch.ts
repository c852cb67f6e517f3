import type { FetchLike } from "@modelcontextprotocol/client";
import type { McpOptions } from "../ports.ts";
import { LoginError } from "./login-error.ts";

/** Names of this machine itself. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether tokens and codes may go to an address: it is encrypted, or on this machine. */
export function isSafeAddress({ protocol, hostname }: Pick<URL, "protocol" | "hostname">): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/**
 * `fetch` for the addresses that a login is about. The owner has named the host of the server and of a configured issuer, so these are reached as the server is;
 * every other address comes from a server, has to be public (R22), and is refused otherwise. Nothing goes out unencrypted but to this machine, and no redirect
 * leaves its origin. Connections that fail reject with a `TypeError`, as those of the standard do, which the SDK does not take for an answer.
 */
export function createAuthFetch(
  named: readonly string[],
  { fetch, logins: { fetchPublic } }: Pick<McpOptions, "fetch"> & { readonly logins: Pick<McpOptions["logins"], "fetchPublic"> },
): FetchLike {
  const hosts = new Set(named.map((url) => hostOf(new URL(url))));
  return async (url, init) => {
    const target = new URL(url);
    if (!isSafeAddress(target)) throw new LoginError(`${target.origin} is not encrypted; a login needs https://`);
    try {
      return await (hosts.has(hostOf(target)) ? fetch : fetchPublic)(target, init);
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw new TypeError(`${target.origin} cannot be reached: ${error instanceof Error ? error.message : "unknown reason"}`, {
        cause: error,
      });
    }
  };
}

/** All names of this machine are one. */
function hostOf({ hostname }: URL): string {
  return isLoopback(hostname) ? "localhost" : hostname;
}
