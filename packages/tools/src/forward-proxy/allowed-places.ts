import { isIP } from "node:net";
import { parsePrivatePlaces, type AllowsPrivate } from "../public-fetch/private-places.ts";
import { createHostList } from "./host-list.ts";

/** What a list of hosts lets through, for a proxy. */
export interface AllowedPlaces {
  readonly allowsHost: (host: string, port: number) => boolean;
  readonly allowsPrivate: AllowsPrivate;
}

/** The ports of an entry that names none: those of plain and of encrypted web servers. */
const WEB_PORTS: readonly number[] = [80, 443];

/**
 * Reads a list of hosts: names, `*.example.com` for all names below, and addresses, each optionally with a port (`a.example:8443`, `[::1]:8080`). An entry
 * without a port allows the ports 80 and 443. An address that is listed may be private; a name that resolves to a private address is refused all the same. An
 * entry that cannot be read allows nothing.
 */
export function parseAllowedPlaces(entries: readonly string[]): AllowedPlaces {
  const places = entries.flatMap(parseEntry);
  const rules = places.map(({ host, port }) => ({ hasName: createHostList([host]), ports: port === undefined ? WEB_PORTS : [port] }));
  const addresses = places.filter(({ host }) => isIP(host) !== 0);
  return {
    allowsHost: (host, port) => rules.some(({ hasName, ports }) => hasName(host) && ports.includes(port)),
    allowsPrivate: parsePrivatePlaces(addresses.map(({ host, port }) => (port === undefined ? host : `[${host}]:${port}`))),
  };
}

function parseEntry(entry: string): readonly { readonly host: string; readonly port: number | undefined }[] {
  const text = entry.trim().toLowerCase();
  // An IPv6 address has colons of its own: its port needs brackets.
  const [, bracketed, name, port] =
    isIP(text) === 6 ? ["", text, undefined, undefined] : (/^(?:\[([\da-f:.]+)\]|([^[\]:/\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []);
  const host = bracketed === undefined ? name : URL.parse(`http://[${bracketed}]/`)?.hostname.slice(1, -1);
  return host === undefined ? [] : [{ host, port: port === undefined ? undefined : Number(port) }];
}
