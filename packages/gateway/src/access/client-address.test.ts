import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createClientFinder } from "./client-address.ts";
import type { ClientAddress } from "./client-address.ts";

const PROXIES = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];

function find(peer: string, headers: IncomingHttpHeaders, trusted: readonly string[] = PROXIES): ClientAddress {
  const request = { socket: { remoteAddress: peer }, headers } as IncomingMessage;
  return createClientFinder(() => undefined)(request, trusted);
}

describe("the address of a client", () => {
  test.each([
    // Entries to the left of the proxy's own are written by the client and not trusted.
    ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "127.0.0.1, 198.51.100.7", "198.51.100.7"],
    ["10.1.2.3", "198.51.100.7, 203.0.113.9", "203.0.113.9"],
    // A chain of proxies.
    ["127.0.0.1", "198.51.100.7, 203.0.113.9, 10.0.0.5", "203.0.113.9"],
    ["127.0.0.1", "198.51.100.7,fd00::5 , 10.0.0.5", "198.51.100.7"],
    ["127.0.0.1", "10.0.0.9, 10.0.0.5", "10.0.0.9"],
    // Spellings.
    ["::ffff:127.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["::ffff:a01:203", "198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["127.0.0.1", "[2001:DB8:0::1]:4711", "2001:db8::1"],
    ["fd00::1%eth0", "2001:db8::1", "2001:db8::1"],
  ])("from the proxy %s with %j is %s", (peer, header, address) => {
    expect(find(peer, { "x-forwarded-for": header })).toEqual({ address, isLocal: false, isShared: false });
  });

  test.each([
    ['for=198.51.100.7;proto=https;by=10.0.0.1, For="10.0.0.5:80"', "198.51.100.7"],
    ['for=unknown, for="[2001:db8::1]:4711"', "2001:db8::1"],
  ])("is read from Forwarded: %s", (forwarded, address) => {
    expect(find("127.0.0.1", { forwarded })).toEqual({ address, isLocal: false, isShared: false });
  });

  test("is the socket's if the peer is not a trusted proxy, whatever its headers say", () => {
    for (const headers of [{ "x-forwarded-for": "127.0.0.1" }, { forwarded: "for=127.0.0.1" }, {}])
      expect(find("198.51.100.7", headers)).toEqual({ address: "198.51.100.7", isLocal: false, isShared: false });
    expect(find("11.0.0.1", { "x-forwarded-for": "203.0.113.9" }).address).toBe("11.0.0.1");
  });

  test.each([
    { "x-forwarded-for": "unknown" },
    { "x-forwarded-for": "198.51.100.7, nonsense" },
    { "x-forwarded-for": "" },
    { forwarded: "proto=https" },
    // One of the two was written by the client.
    { "x-forwarded-for": "198.51.100.7", forwarded: "for=203.0.113.9" },
    { "x-forwarded-proto": "https" },
  ])("is the proxy's own, shared by several clients, with %j", (headers) => {
    expect(find("10.0.0.5", headers)).toEqual({ address: "10.0.0.5", isLocal: false, isShared: true });
  });
});

describe("a request from loopback", () => {
  test.each(["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"])("is local without a proxy's header: %s", (peer) => {
    for (const trusted of [[], PROXIES]) expect(find(peer, {}, trusted).isLocal).toBe(true);
  });

  test.each([
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-real-ip",
    "true-client-ip",
    "forwarded",
    "via",
    "cf-connecting-ip",
  ])("is not local with %s, and an unlisted proxy is reported", (name) => {
    let told = 0;
    const finder = createClientFinder(() => (told += 1));
    const request = { socket: { remoteAddress: "127.0.0.1" }, headers: { [name]: "127.0.0.1" } } as unknown as IncomingMessage;
    expect(finder(request, [])).toEqual({ address: "127.0.0.1", isLocal: false, isShared: true });
    expect(told).toBe(1);
    expect(finder(request, PROXIES).isLocal).toBe(false);
    expect(told).toBe(1);
  });
});

test("uses a changed list of proxies from the next request on", () => {
  const finder = createClientFinder(() => undefined);
  const request = { socket: { remoteAddress: "10.0.0.5" }, headers: { "x-forwarded-for": "198.51.100.7" } } as unknown as IncomingMessage;
  expect(finder(request, []).address).toBe("10.0.0.5");
  expect(finder(request, PROXIES).address).toBe("198.51.100.7");
});
