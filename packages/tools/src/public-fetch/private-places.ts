import { BlockList, isIP } from "node:net";

/** A checked connection: the host as the URL names it, without brackets, and the address that it resolved to. */
interface ConnectionTarget {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

/** True if the owner has opened a place that is not public. */
export type AllowsPrivate = (target: ConnectionTarget) => boolean;

/** Opens nothing. */
export const NO_PRIVATE_PLACES: AllowsPrivate = () => false;

/**
 * Reads a list of private places: a host name (compared exactly with the URL's), an address, or a network in CIDR notation, each but the last optionally with
 * a port: `nas.lan`, `nas.lan:8080`, `192.168.1.10`, `[fd00::1]:8080`, `192.168.1.0/24`. An entry without a port opens every port. An entry that cannot be
 * read opens nothing.
 */
export function parsePrivatePlaces(entries: readonly string[]): AllowsPrivate {
  const rules = entries.map(parseEntry);
  return (target) => rules.some((rule) => rule(target));
}

function parseEntry(entry: string): AllowsPrivate {
  const text = entry.trim().toLowerCase();
  const network = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/.exec(text);
  if (network !== null) return networkRule(network[1] ?? "", Number(network[2]));
  // An IPv6 address has colons of its own: its port needs brackets.
  const [host, port] = isIP(text) === 6 ? [text, undefined] : splitPort(text);
  const isPort = (target: ConnectionTarget): boolean => port === undefined || target.port === port;
  if (host === undefined) return NO_PRIVATE_PLACES;
  const family = isIP(host);
  if (family === 0) return (target) => target.host === host && isPort(target);
  const isAddress = networkRule(host, family === 4 ? 32 : 128);
  return (target) => isAddress(target) && isPort(target);
}

function splitPort(text: string): readonly [string | undefined, number | undefined] {
  const parts = /^(?:\[([\da-f:.]+)\]|([^[\]:/\s]+))(?::(\d{1,5}))?$/.exec(text);
  if (parts === null) return [undefined, undefined];
  return [parts[1] ?? parts[2], parts[3] === undefined ? undefined : Number(parts[3])];
}

/** One family alone: `::ffff:192.168.1.1` is not opened by a rule for `192.168.1.1`. */
function networkRule(network: string, prefix: number): AllowsPrivate {
  const family = isIP(network);
  if (family === 0 || prefix > (family === 4 ? 32 : 128)) return NO_PRIVATE_PLACES;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 4 ? "ipv4" : "ipv6");
  return ({ address }) => isIP(address) === family && list.check(address, family === 4 ? "ipv4" : "ipv6");
}
