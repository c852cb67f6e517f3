import { lookup as dnsLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { AllowsPrivate } from "./private-places.ts";
import { isPublicAddress } from "./public-address.ts";

/** An address of a name. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** How names are resolved, and which addresses are public. Real by default. */
export interface ResolveOptions {
  /** All addresses of a name. */
  readonly lookup?: (host: string) => Promise<readonly ResolvedAddress[]>;
  /** Which addresses may be connected to without `allowsPrivate`. */
  readonly isOpen?: (address: string) => boolean;
}

/** A URL with the address to connect to, or why it is not fetched. */
export type ResolvedTarget =
  | { readonly type: "open"; readonly url: URL; readonly at: ResolvedAddress }
  | {
      readonly type: "refused";
      readonly reason: "not-allowed" | "unavailable";
      readonly message: string;
      /** The address is private: `allowsPrivate` can open it. */
      readonly isPrivate?: true;
    };

/**
 * Parses a URL and resolves its host once. Every address of the name must be public or opened by the owner, so that a name with one public and one private
 * address is refused; the connection has to go to the returned address, so that a name that changes afterwards leads nowhere else.
 */
export async function resolveTarget(
  text: string,
  { allowsPrivate, signal }: { readonly allowsPrivate: AllowsPrivate; readonly signal: AbortSignal },
  { lookup = lookupAll, isOpen = isPublicAddress }: ResolveOptions,
): Promise<ResolvedTarget> {
  const parsed = parseTarget(text);
  if (parsed.type === "refused") return parsed;
  const { url } = parsed;
  // The URL parser has already turned decimal, octal and hexadecimal forms into plain addresses.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const family = isIP(host);
  let all: readonly ResolvedAddress[];
  try {
    all = family === 0 ? await untilAborted(lookup(host), signal) : [{ address: host, family }];
  } catch (error) {
    if (signal.aborted) throw error;
    return { type: "refused", reason: "unavailable", message: `${host} cannot be resolved to an address` };
  }
  const [at] = all;
  if (at === undefined || !all.every(({ address }) => isOpen(address) || allowsPrivate({ host, address, port })))
    return { type: "refused", reason: "not-allowed", message: `${host} is not on the open internet`, isPrivate: true };
  return { type: "open", url, at };
}

/** Parses a URL that can be fetched at all, whatever its host is. */
export function parseTarget(text: string): { readonly type: "url"; readonly url: URL } | Extract<ResolvedTarget, { type: "refused" }> {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    return notAllowed("only http and https addresses are fetched");
  if (url.username !== "" || url.password !== "") return notAllowed("an address with a user name or a password is not fetched");
  return { type: "url", url };
}

async function lookupAll(host: string): Promise<readonly ResolvedAddress[]> {
  return dnsLookup(host, { all: true });
}

/** A lookup cannot be cancelled; its late result is discarded. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("it was ended"));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function notAllowed(message: string): Extract<ResolvedTarget, { type: "refused" }> {
  return { type: "refused", reason: "not-allowed", message };
}
