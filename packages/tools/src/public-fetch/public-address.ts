import { BlockList, isIP } from "node:net";

/** Non-public addresses: this machine, its network, and reserved ranges (IANA's special-purpose registries). */
const CLOSED_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Within 2000::/3, the only public part: tunnels that carry other addresses, documentation, and protocol assignments. */
const CLOSED_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closedV4 = listOf(CLOSED_V4, "ipv4");
const openV6 = listOf([["2000::", 3]], "ipv6");
const closedV6 = listOf(CLOSED_V6, "ipv6");

/** True for a public internet address. An address that maps or embeds an IPv4 one is not public. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closedV4.check(address, "ipv4");
    case 6:
      return openV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
    default:
      return false;
  }
}

function listOf(subnets: readonly (readonly [string, number])[], type: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, type);
  return list;
}
