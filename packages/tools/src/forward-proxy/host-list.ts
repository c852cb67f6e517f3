import { isIPv6 } from "node:net";

/** True for a host that a list allows: a name or an address as it stands there, or a name below an entry that begins with `*.`. */
export function createHostList(entries: readonly string[]): (host: string) => boolean {
  const names = new Set<string>();
  const suffixes: string[] = [];
  for (const entry of entries) {
    const text = hostName(entry.trim());
    if (text.startsWith("*.")) suffixes.push(text.slice(1));
    else names.add(text);
  }
  return (host) => {
    const name = hostName(host);
    return names.has(name) || suffixes.some((suffix) => name.length > suffix.length && name.endsWith(suffix));
  };
}

/** A name or address as it is compared. A name may end in a dot, which changes nothing about it; an IPv6 address has several forms. */
function hostName(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
  return isIPv6(plain) ? new URL(`http://[${plain}]/`).hostname.slice(1, -1) : plain;
}
