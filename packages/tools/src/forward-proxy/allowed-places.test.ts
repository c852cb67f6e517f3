import { describe, expect, test } from "vitest";
import { parseAllowedPlaces } from "./allowed-places.ts";

const allows = (entry: string, host: string, port: number): boolean => parseAllowedPlaces([entry]).allowsHost(host, port);

describe("a list of hosts", () => {
  test.each<[string, string, number, boolean]>([
    ["a.example", "a.example", 443, true],
    ["a.example", "a.example", 80, true],
    ["A.Example", "a.example.", 443, true],
    ["a.example", "a.example", 22, false],
    ["a.example:8443", "a.example", 8443, true],
    ["a.example:8443", "a.example", 443, false],
    ["a.example", "b.a.example", 443, false],
    ["*.a.example", "b.a.example", 443, true],
    ["*.a.example", "a.example", 443, false],
    ["*.a.example", "ba.example", 443, false],
    ["a.example.", "a.example", 443, true],
    ["*.a.example:1", "b.a.example", 1, true],
    ["10.0.0.1", "10.0.0.1", 80, true],
    ["10.0.0.1:8080", "10.0.0.1", 8080, true],
    ["10.0.0.1", "10.0.0.2", 80, false],
    ["::1", "::1", 80, true],
    ["[::1]:8080", "::1", 8080, true],
    ["[0:0:0:0:0:0:0:1]:8080", "::1", 8080, true],
    ["[::1]:8080", "::1", 80, false],
    ["http://a.example", "a.example", 80, false],
    ["a.example/path", "a.example", 80, false],
    ["10.0.0.0/8", "10.0.0.1", 80, false],
    ["*", "a.example", 80, false],
    ["", "", 80, false],
  ])("%j and %s:%d: %s", (entry, host, port, expected) => {
    expect(allows(entry, host, port)).toBe(expected);
  });

  test("opens a private address only where the address itself is listed", () => {
    const { allowsPrivate } = parseAllowedPlaces(["nas.lan", "10.0.0.1:8080", "192.168.1.5", "::1"]);
    const at = (host: string, address: string, port: number): boolean => allowsPrivate({ host, address, port });
    expect([at("10.0.0.1", "10.0.0.1", 8080), at("192.168.1.5", "192.168.1.5", 80), at("::1", "::1", 80)]).toEqual([true, true, true]);
    expect([at("nas.lan", "10.0.0.9", 80), at("10.0.0.1", "10.0.0.1", 80), at("::ffff:10.0.0.1", "::ffff:10.0.0.1", 8080)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
