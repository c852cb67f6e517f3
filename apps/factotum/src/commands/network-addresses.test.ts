import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { describeNetwork, networkUrls } from "./network-addresses.ts";

const entry = (address: string, internal = false): NetworkInterfaceInfo =>
  ({ address, internal, family: address.includes(":") ? "IPv6" : "IPv4", netmask: "", mac: "", cidr: null }) as NetworkInterfaceInfo;

const INTERFACES = {
  lo: [entry("127.0.0.1", true)],
  docker0: [entry("172.17.0.1")],
  wlan0: [entry("192.168.1.20"), entry("fe80::1")],
};

test.each([
  ["loopback", []],
  ["127.0.0.5", []],
  ["::1", []],
  ["lan", ["http://192.168.1.20:18790"]],
  ["192.168.1.20", ["http://192.168.1.20:18790"]],
  ["fd00::7", ["http://[fd00::7]:18790"]],
])("bind %s is reached at %j", (bind, urls) => {
  expect(networkUrls(bind, 18_790, INTERFACES)).toEqual(urls);
});

test("falls back to virtual interfaces, and reports nothing without a network", () => {
  expect(networkUrls("lan", 1, { docker0: INTERFACES.docker0 })).toEqual(["http://172.17.0.1:1"]);
  expect(networkUrls("lan", 1, { lo: INTERFACES.lo })).toEqual([]);
});

test("prints the address with the token, a code, and that it is not encrypted", async () => {
  const text = await describeNetwork(["http://192.168.1.20:18790"], "secret-token");
  expect(text).toContain("  http://192.168.1.20:18790/#token=secret-token\n");
  expect(text).toMatch(/^[█▀▄ ]{25,}$/m);
  expect(text).toContain("The token travels unencrypted there");
});

test("prints neither token nor code into a log, and nothing for loopback", async () => {
  const text = await describeNetwork(["http://192.168.1.20:18790"], undefined);
  expect(text).toContain("  http://192.168.1.20:18790/\n");
  expect(text).not.toMatch(/[█▀▄]/);
  expect(await describeNetwork([], "secret-token")).toBe("");
});
