import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The origin of a request. */
export interface ClientAddress {
  /** An IP address, IPv4-mapped ones as IPv4; empty if the connection is gone. */
  readonly address: string;
  /** True if the request comes from this machine and not through a proxy. */
  readonly isLocal: boolean;
  /** True if several clients may share the address, as behind a proxy that passes no client address. */
  readonly isShared: boolean;
}

/** Finds the client of a request. `trusted` are the addresses and CIDR ranges of `gateway.trustedProxies`. */
export type FindClient = (request: Pick<IncomingMessage, "socket" | "headers">, trusted: readonly string[]) => ClientAddress;

/** Makes a finder that caches the parsed ranges. Calls `onUnlistedProxy` for a proxy on this machine that is not trusted. */
export function createClientFinder(onUnlistedProxy: () => void): FindClient {
  let list: readonly string[] | undefined;
  let isTrusted: (address: string) => boolean = () => false;
  return ({ socket, headers }, trusted) => {
    if (trusted !== list) isTrusted = inRanges((list = trusted));
    const peer = normalAddress(socket.remoteAddress ?? "") ?? "";
    if (isLoopback(peer) && !isTrusted(peer) && isProxied(headers)) onUnlistedProxy();
    return findClient(peer, headers, isTrusted);
  };
}

/** A header counts only from a trusted peer. Its entries are read from the right, where the nearest proxy writes, up to the first untrusted one. */
function findClient(peer: string, headers: IncomingHttpHeaders, isTrusted: (address: string) => boolean): ClientAddress {
  const named = isTrusted(peer) ? namedClient(headers, isTrusted) : undefined;
  if (named !== undefined) return { address: named, isLocal: false, isShared: false };
  // A proxy on this machine need not add a header.
  return { address: peer, isLocal: isLoopback(peer) && !isProxied(headers), isShared: isLoopback(peer) || isTrusted(peer) };
}

function isProxied(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith("x-forwarded-") || PROXY_HEADERS.has(name));
}

/** Headers that only a proxy adds, besides `x-forwarded-…`. */
const PROXY_HEADERS: ReadonlySet<string> = new Set(["forwarded", "via", "x-real-ip", "true-client-ip", "cf-connecting-ip"]);

function namedClient(headers: IncomingHttpHeaders, isTrusted: (address: string) => boolean): string | undefined {
  const found = [forwardedForEntries(headers), forwardedEntries(headers)]
    .filter((entries) => entries !== undefined)
    .map((entries) => clientAmong(entries, isTrusted));
  // A proxy writes one of the two headers and may pass on the other from the client: if they differ, neither counts.
  return found.every((address) => address === found[0]) ? found[0] : undefined;
}

/** The right-most entry that is not a trusted proxy; the left-most one if all are. `undefined` if an entry on the way is not an address. */
function clientAmong(entries: readonly string[], isTrusted: (address: string) => boolean): string | undefined {
  let client: string | undefined;
  for (const entry of entries.toReversed()) {
    client = normalAddress(entry);
    if (client === undefined || !isTrusted(client)) return client;
  }
  return client;
}

function forwardedForEntries({ "x-forwarded-for": header }: IncomingHttpHeaders): readonly string[] | undefined {
  return header === undefined ? undefined : [header].flat().join(",").split(",");
}

/** The `for` of each element of `Forwarded` (RFC 7239); an element without one has no address. */
function forwardedEntries({ forwarded }: IncomingHttpHeaders): readonly string[] | undefined {
  return forwarded?.split(",").map((element) => /(?:^|;)\s*for=("[^"]*"|[^;]*)/i.exec(element)?.[1]?.replaceAll('"', "") ?? "");
}

/** An address without port, brackets and zone, IPv4-mapped ones as IPv4; `undefined` for anything else. */
function normalAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const [, host = trimmed] = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed) ?? /^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const address = host.split("%")[0] ?? "";
  if (isIP(address) === 0) return undefined;
  if (isIP(address) === 4) return address;
  // The canonical spelling, so that one address has one counter.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical);
  if (mapped === null) return canonical;
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function inRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = isIP(address) === 4 ? "ipv4" : "ipv6";
    list.addSubnet(address, prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}
